import type { NorthboundFacts, OverlayNode, OverlayPlan } from '../../../model/overlay.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { DatabaseRows } from '../../../model/rows.ts';
import { planNorthbound } from '../../../overlay/plan-northbound.ts';
import { withPorts } from '../../../overlay/ports/node-interfaces.ts';

/** Plans the northbound rows of the members, and the removal of the rows of leaving nodes. */
export function planMembers(
  { layout, node, peers = [], ports }: OverlayRecord,
  members: readonly OverlayNode[],
  leaving: readonly string[],
  rows: DatabaseRows,
  { bfdIntervalMs = null, ...settings }: MemberSettings = {},
): OverlayPlan {
  const nodes = withPorts(members, ports);
  const facts = { layout, nodes, leaving, centralNode: node.name, rows, randomMacs: [], peers, ...settings };
  return planNorthbound({ ...facts, ...(bfdIntervalMs !== null && { bfdIntervalMs }) });
}

/** Settings of the northbound rows. `bfdIntervalMs` is null if the database's interval of BFD is not changed. */
type MemberSettings = Pick<NorthboundFacts, 'holdsPorts' | 'isDirectOnly' | 'sharedAddresses'> & {
  readonly bfdIntervalMs?: number | null;
};
