import type { OverlayFacts } from '../../model/examination.ts';
import { listCertificates } from './authority.ts';
import { askController, hasCentral } from './daemons.ts';
import { daysUntil } from './nodes.ts';
import { overlayPlaces } from './places.ts';
import { readRecord } from './record.ts';

/** What an overlay needs of this node; null: it is in none. */
export async function readOverlayFacts(places = overlayPlaces): Promise<OverlayFacts | null> {
  const record = readRecord(places.record);
  if (record === null) return null;
  const now = Date.now();
  return {
    node: record.node.name,
    isCentral: record.members !== null,
    southbound: record.southbound,
    controller: await askController(places),
    hasDatabases: hasCentral(places),
    certificates: listCertificates(places.pki).map(({ name, notAfter }) => ({ name, days: daysUntil(notAfter, now) })),
  };
}
