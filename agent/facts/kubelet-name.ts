import { readCertificate } from '../drivers/openssl/read-certificate.ts';
import { readRegularFile } from '../regular-file.ts';

/**
 * Paths of a kubelet's client certificate: that of kubeadm, that of MicroShift, and that of older releases of
 * MicroShift.
 */
const certificates = [
  '/var/lib/kubelet/pki/kubelet-client-current.pem',
  '/var/lib/microshift/certs/kubelet-csr-signer-signer/csr-signer/kubelet-client/client.crt',
  '/var/lib/microshift/certs/client-ca/kubelet-client/client.crt',
];
/** Largest size, in bytes, of a file with a certificate, its key and the certificates of its issuers. */
const limitBytes = 64 * 1024;
const subject = 'system:node:';

/**
 * Returns the name by which the API server knows the kubelet of this host (kubernetes.io, "Using Node Authorization");
 * null if the host has no client certificate of a kubelet.
 */
export function readKubeletName(): string | null {
  for (const path of certificates) {
    try {
      const { commonName } = readCertificate(readRegularFile(path, limitBytes)?.toString() ?? '');
      if (commonName.startsWith(subject)) return commonName.slice(subject.length);
    } catch {
      // A file that is missing or is not a certificate is skipped.
    }
  }
  return null;
}
