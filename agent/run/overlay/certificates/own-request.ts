import { readSmallFile, removeFile, writeFileAtomically } from '../../../drivers/host/files/files.ts';
import { type KeyAndRequest, makeRequest } from '../../../drivers/openssl/certificates.ts';
import { clearRemains } from './authority.ts';
import { pkiFiles } from './pki-files.ts';

/**
 * Size limit, in bytes, of the file with a certificate request and its key; a larger file was not written by the agent.
 */
const requestBytes = 16_384;

/**
 * Returns this node's request for its next certificate together with the key, which never leaves the node; null if the
 * node has made no request.
 */
export function readOwnRequest(folder: string): KeyAndRequest | null {
  const pem = readSmallFile(pkiFiles(folder).request, requestBytes) ?? '';
  const at = pem.indexOf('-----BEGIN CERTIFICATE REQUEST-----');
  return at < 1 ? null : { key: pem.slice(0, at), request: pem.slice(at) };
}

/**
 * Returns this node's request for its next certificate together with its key. Makes and stores both if the node
 * has no request yet.
 */
export async function requireOwnRequest(folder: string, systemId: string): Promise<KeyAndRequest> {
  const present = readOwnRequest(folder);
  if (present !== null) return present;
  clearRemains(folder);
  const made = await makeRequest(folder, systemId);
  writeFileAtomically(pkiFiles(folder).request, made.key + made.request, 0o600);
  return made;
}

/** Removes this node's request, after it was answered or has become obsolete. */
export function removeOwnRequest(folder: string): void {
  removeFile(pkiFiles(folder).request);
}
