import { readSmallFile, removeFile, writeFileAtomically } from '../../drivers/host/files.ts';
import { type KeyAndRequest, makeRequest } from '../../drivers/openssl/certificates.ts';
import { clearRemains, pkiFiles } from './authority.ts';

/** A key and a request; anything longer is no file of ours. */
const requestBytes = 16_384;

/** The request of this node for its next certificate, with the key that never leaves it; null: it has asked for none. */
export function readOwnRequest(folder: string): KeyAndRequest | null {
  const pem = readSmallFile(pkiFiles(folder).request, requestBytes) ?? '';
  const at = pem.indexOf('-----BEGIN CERTIFICATE REQUEST-----');
  return at < 1 ? null : { key: pem.slice(0, at), request: pem.slice(at) };
}

/** The same, made where there is none. */
export async function requireOwnRequest(folder: string, systemId: string): Promise<KeyAndRequest> {
  const present = readOwnRequest(folder);
  if (present !== null) return present;
  clearRemains(folder);
  const made = await makeRequest(folder, systemId);
  writeFileAtomically(pkiFiles(folder).request, made.key + made.request, 0o600);
  return made;
}

/** Forgets a request that was answered, or is of no use any more. */
export function removeOwnRequest(folder: string): void {
  removeFile(pkiFiles(folder).request);
}
