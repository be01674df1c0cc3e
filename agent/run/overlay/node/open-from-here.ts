import { openSouthbound, type RowDatabase } from '../../../drivers/ovn/database.ts';
import { tlsFiles } from '../certificates/pki-files.ts';

/**
 * Connects to the southbound database on another node, as this node's ovn-controller does. `stop` closes the
 * connection.
 */
export function openFromHere(southbound: readonly string[], pki: string, stop?: AbortSignal): Promise<RowDatabase> {
  return openSouthbound(southbound, ownCredentials(pki), stop);
}

/** Returns the paths of the key and the certificates with which this node connects to the southbound database. */
export function ownCredentials(pki: string) {
  const { privateKey, certificate, caCertificate } = tlsFiles(pki);
  return { privateKey, certificate, ca: caCertificate };
}
