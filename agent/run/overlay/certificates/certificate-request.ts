import { mkdirSync } from 'node:fs';
import { AgentError } from '../../../errors.ts';
import { requestEntry, requestOf } from '../../../overlay/members/renewal.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { readRecord } from '../record/record.ts';
import { readSystemId } from '../record/system-id.ts';
import { requireOwnRequest } from './own-request.ts';

/**
 * Returns the request for this node's next certificate, as PEM. Makes the request and its key if the node has no
 * request yet; the key never leaves this node. Fails with `certificates-refused` on the central node, and on a node
 * without a system-id.
 */
export async function requestCertificate({ pki, record, systemId: file }: OverlayPlaces): Promise<string> {
  if (readRecord(record)?.members != null) {
    throw new AgentError('certificates-refused', 'this is the central node, which signs its own certificate', {
      hint: 'run: microshift-net overlay pki renew',
    });
  }
  const systemId = readSystemId(file);
  if (systemId === null) {
    throw new AgentError('certificates-refused', `this node has no system-id, ${file}`, {
      hint: 'start Open vSwitch once, which makes it',
      facts: { path: file },
    });
  }
  mkdirSync(pki, { recursive: true, mode: 0o755 });
  return (await requireOwnRequest(pki, systemId)).request;
}

/** Extracts the certificate request from a text, as PEM; null if the text contains no valid request. */
export function parseRequest(text: string): string | null {
  const [block] = /-----BEGIN CERTIFICATE REQUEST-----[^-]*-----END CERTIFICATE REQUEST-----/.exec(text) ?? [];
  return block === undefined ? null : requestOf({ cmsOptions: requestEntry(block) });
}
