import { readSmallFile, removeFile, writeFileAtomically } from '../../../drivers/host/files/files.ts';
import { type KeyAndRequest, makeRequest } from '../../../drivers/openssl/certificates.ts';
import { clearRemains } from './authority.ts';
import { pkiFiles } from './pki-files.ts';

/** Largest size of the file, which holds a key and a request; a larger file was not written by this program. */
const requestBytes = 16_384;

/**
 * Returns the request of this node for its next certificate, with the key that never leaves the node; null if the node
 * has made no request.
 */
export function readOwnRequest(folder: string): KeyAndRequest | null {
  const pem = readSmallFile(pkiFiles(folder).request, requestBytes) ?? '';
  const at = pem.indexOf('-----BEGIN CERTIFICATE REQUEST-----');
  return at < 1 ? null : { key: pem.slice(0, at), request: pem.slice(at) };
}

/**
 * Returns the request of this node for its next certificate, with its key; makes and stores both unless a request
 * exists.
 */
export async function requireOwnRequest(folder: string, systemId: string): Promise<KeyAndRequest> {
  const present = readOwnRequest(folder);
  if (present !== null) return present;
  clearRemains(folder);
  const made = await makeRequest(folder, systemId);
  writeFileAtomically(pkiFiles(folder).request, made.key + made.request, 0o600);
  return made;
}

/** Removes a request that was answered or has become obsolete. */
export function removeOwnRequest(folder: string): void {
  removeFile(pkiFiles(folder).request);
}
