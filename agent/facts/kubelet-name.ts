import { readCertificate } from '../drivers/openssl/read-certificate.ts';
import { readRegularFile } from '../regular-file.ts';

/**
 * Paths of a kubelet's client certificate: kubeadm's, and those of MicroShift after and before its certificates were
 * moved below two authorities.
 */
const certificates = [
  '/var/lib/kubelet/pki/kubelet-client-current.pem',
  '/var/lib/microshift/certs/kubelet-csr-signer-signer/csr-signer/kubelet-client/client.crt',
  '/var/lib/microshift/certs/client-ca/kubelet-client/client.crt',
];
/** Size limit of a certificate with its key and those of its issuers. */
const limitBytes = 64 * 1024;
const subject = 'system:node:';

/**
 * Returns the name by which the API server knows the kubelet of this host (kubernetes.io, "Using Node Authorization");
 * null without a kubelet.
 */
export function readKubeletName(): string | null {
  for (const path of certificates) {
    try {
      const { commonName } = readCertificate(readRegularFile(path, limitBytes)?.toString() ?? '');
      if (commonName.startsWith(subject)) return commonName.slice(subject.length);
    } catch {
      // A file that is not a certificate does not prove a kubelet.
    }
  }
  return null;
}
