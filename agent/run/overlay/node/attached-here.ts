import type { HostFacts } from '../../../facts/overlay-host.ts';
import type { AttachedInterface } from '../../../model/overlay-port.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { DatabaseRows } from '../../../model/rows.ts';
import { attachable } from '../../../overlay/local/attachable.ts';
import { attachedInterfaces } from '../../../overlay/ports/node-interfaces.ts';
import { interfacesIn } from '../../../overlay/ports/published-ports.ts';

/**
 * Returns the interfaces that this node attaches to br-int for hosts that are not pods, and sentences about interfaces
 * that it cannot attach. The central node has the list of these interfaces in its record, and members find the list in
 * `ids`, the data that the central node publishes. `attached` is null on a member if `ids` is null. `rows` are those of
 * this node's Open vSwitch.
 */
export function attachedHere(
  { layout, node, members, ports = [] }: OverlayRecord,
  ids: Readonly<Record<string, string>> | null,
  { links, routes }: HostFacts,
  rows: DatabaseRows,
): { readonly attached: readonly AttachedInterface[] | null; readonly faults: readonly string[] } {
  if (members === null && ids === null) return { attached: null, faults: [] };
  const wanted = ids === null ? attachedInterfaces(ports, node.name) : interfacesIn(ids, node.name);
  return wanted.length === 0
    ? { attached: [], faults: [] }
    : attachable(wanted, { layout, node, links, routes, rows, sshPeer: null });
}
