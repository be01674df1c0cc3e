import { readCertificate } from '../drivers/openssl/read-certificate.ts';
import { readRegularFile } from '../regular-file.ts';

/** Where a kubelet has its client certificate: kubeadm's, and MicroShift's before and after its certificates were gathered below two authorities. */
const certificates = [
  '/var/lib/kubelet/pki/kubelet-client-current.pem',
  '/var/lib/microshift/certs/kubelet-csr-signer-signer/csr-signer/kubelet-client/client.crt',
  '/var/lib/microshift/certs/client-ca/kubelet-client/client.crt',
];
/** Most bytes of a certificate with its key and those of its issuers. */
const limitBytes = 64 * 1024;
const subject = 'system:node:';

/** The name by which the API server knows the kubelet of this host (kubernetes.io, "Using Node Authorization"); null: there is no kubelet. */
export function readKubeletName(): string | null {
  for (const path of certificates) {
    try {
      const { commonName } = readCertificate(readRegularFile(path, limitBytes)?.toString() ?? '');
      if (commonName.startsWith(subject)) return commonName.slice(subject.length);
    } catch {
      // What is no certificate says nothing of a kubelet.
    }
  }
  return null;
}
