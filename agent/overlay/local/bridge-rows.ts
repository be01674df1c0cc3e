import { AgentError } from '../../errors.ts';
import type { LocalFacts } from '../../model/overlay.ts';
import type { DatabaseRow } from '../../model/rows.ts';
import { is, type WantedColumn } from '../rows/column-changes.ts';
import type { Draft, WantedRow } from '../rows/desired-rows.ts';
import { textOf } from '../rows/row-index.ts';
import { isOwnedBy } from '../rows/tags.ts';

/** Integration bridge of ovn-controller (ovn-controller(8), ovn-bridge). */
export const integrationBridge = 'br-int';

/** Plans a bridge with its internal interface. An existing bridge keeps its interface, and every setting that is not named here. */
export function wantBridge(
  draft: Draft,
  root: WantedRow,
  name: string,
  { datapathType }: Pick<LocalFacts, 'datapathType'>,
  columns: Readonly<Record<string, WantedColumn>>,
): WantedRow {
  const existing = draft.existing.named('Bridge', name);
  const bridge = draft.want({
    table: 'Bridge',
    title: name,
    existing,
    columns: {
      name: is(name),
      ...columns,
      ...(datapathType !== null && { datapath_type: is(datapathType) }),
    },
    isShared: existing !== null && !isOwnedBy(existing, draft.owner),
    place: { row: root, column: 'bridges' },
    why: name === integrationBridge ? 'all of the cluster runs over it' : 'the gateway has a NIC of its own',
  });
  if (existing === null) wantPort(draft, bridge, name, { type: is('internal') });
  else
    for (const port of draft.existing.referred(existing, 'ports', 'Port').filter((row) => row.name === name))
      keepPort(draft, port);
  return bridge;
}

function keepPort(draft: Draft, port: DatabaseRow): void {
  draft.keep(port);
  for (const row of draft.existing.referred(port, 'interfaces', 'Interface')) draft.keep(row);
}

/** Plans a port and its only interface, which have the same name. Refuses a port that is in another bridge. */
export function wantPort(
  draft: Draft,
  bridge: WantedRow,
  name: string,
  columns: Readonly<Record<string, WantedColumn>>,
  ofPort: Readonly<Record<string, WantedColumn>> = {},
): void {
  const existing = draft.existing.named('Port', name);
  const holder = existing === null ? null : draft.existing.holderOf(existing);
  if (holder !== null && textOf(holder.row, 'name') !== bridge.title) {
    throw new AgentError(
      'overlay-conflict',
      `port ${name} is in ${textOf(holder.row, 'name')}, not in ${bridge.title}`,
      { hint: `remove it if it is not needed: ovs-vsctl del-port ${name}` },
    );
  }
  const why = `${name} is part of ${bridge.title}`;
  const port = draft.want({
    table: 'Port',
    title: name,
    existing,
    columns: { name: is(name), ...ofPort },
    place: { row: bridge, column: 'ports' },
    why,
  });
  draft.want({
    table: 'Interface',
    title: name,
    existing: draft.existing.named('Interface', name),
    columns: { name: is(name), ...columns },
    place: { row: port, column: 'interfaces' },
    why,
  });
}
