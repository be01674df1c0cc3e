import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { DatabaseRows } from '../../../model/rows.ts';
import { announcedDirect } from '../../../overlay/members/announced-direct.ts';
import { indexRows, mapOf } from '../../../overlay/rows/row-index.ts';
import type { OverlayPlaces } from '../record/places.ts';

/**
 * Returns the record with the nodes whose packets arrive at this node by the direct route. These are the nodes whose
 * probes arrive at the daemon. As long as the probes of some nodes may still arrive for the first time, the nodes that
 * this node has announced so far are added.
 */
export function withHeard(
  record: OverlayRecord,
  { encapsulation, heard }: OverlayPlaces,
  rows: DatabaseRows,
): OverlayRecord {
  const { names, isComplete } = heard?.() ?? { names: [], isComplete: false };
  const all = isComplete ? names : [...new Set([...names, ...announcedHere(rows)])];
  return { ...record, node: { ...record.node, direct: encapsulation === 'always' ? null : all } };
}

/** Returns the names of the nodes whose packets arrive by the direct route, as this node announces them. */
export function announcedHere(rows: DatabaseRows): readonly string[] {
  const cmsOptions = mapOf(indexRows(rows).all('Open_vSwitch')[0] ?? null, 'external_ids')['ovn-cms-options'] ?? '';
  return announcedDirect({ cmsOptions }).direct ?? [];
}
