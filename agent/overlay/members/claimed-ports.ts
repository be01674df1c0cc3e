import type { OverlayNode } from '../../model/overlay.ts';
import type { DatabaseRow, DatabaseRows } from '../../model/rows.ts';
import { escapeText } from '../../printable.ts';
import { gatewayNames, nodeNames } from '../overlay-names.ts';
import { listOf, mapOf, textOf } from '../rows/row-index.ts';

/** Columns that show which chassis has claimed each port (ovn-sb(5)). */
export const claimColumns = {
  Port_Binding: ['logical_port', 'type', 'datapath', 'chassis', 'additional_chassis', 'encap', 'options'],
  Datapath_Binding: ['external_ids'],
  Chassis: ['name'],
  Encap: ['chassis_name'],
} as const;

/**
 * Types of ports that the ovn-controller of one node claims: ports of interfaces and of gateway routers (ovn-sb(5),
 * Port_Binding, `type`).
 */
const claimedTypes = ['', 'l3gateway'];

/**
 * Returns the name of the port by which other nodes reach the subnet of a node: all of their packets to the subnet go
 * to the chassis of this port (ovn-sb(5), Port_Binding, type `chassisredirect`).
 */
function redirectPort(node: string): string {
  return `cr-${nodeNames(node).onRouter}`;
}

/**
 * Compares the chassis to which each port is bound with the chassis of the node to which the port belongs. Only the
 * node itself may have the ports of its switch and of its gateway router, and the port by which its subnet is reached.
 * Every member may write the columns that bind ports, even for ports of other members (ovn-northd, RBAC). Returns a
 * sentence for each port whose columns name the chassis of another node.
 */
export function foreignClaims({ tables }: DatabaseRows, nodes: readonly OverlayNode[]): readonly string[] {
  const byDatapath = new Map(
    nodes.flatMap((node) => [node.name, gatewayNames(node.name).router].map((name) => [name, node] as const)),
  );
  const byRedirect = new Map(nodes.map((node) => [redirectPort(node.name), node]));
  const namesOf = (table: string, column: string): ReadonlyMap<unknown, string> =>
    new Map((tables[table] ?? []).map((row) => [row._uuid, textOf(row, column)]));
  const [chassis, encaps] = [namesOf('Chassis', 'name'), namesOf('Encap', 'chassis_name')];
  const owners = new Map(
    (tables.Datapath_Binding ?? []).map((row) => [row._uuid, byDatapath.get(mapOf(row, 'external_ids').name ?? '')]),
  );
  return (tables.Port_Binding ?? []).flatMap((row: DatabaseRow): readonly string[] => {
    const type = textOf(row, 'type');
    const ofSwitch = claimedTypes.includes(type) ? owners.get(String(listOf(row, 'datapath')[0])) : undefined;
    const owner = type === 'chassisredirect' ? byRedirect.get(textOf(row, 'logical_port')) : ofSwitch;
    if (owner === undefined) return [];
    const others = (column: string, names: ReadonlyMap<unknown, string>): readonly Claim[] =>
      listOf(row, column).flatMap((id) => {
        const name = names.get(id) ?? '';
        return name === owner.systemId || name === '' ? [] : [{ column, chassis: name }];
      });
    const requested = mapOf(row, 'options')[request] ?? '';
    const found: readonly Claim[] = [
      ...others('chassis', chassis),
      ...others('additional_chassis', chassis),
      ...others('encap', encaps),
      ...(['', owner.systemId, owner.name].includes(requested) ? [] : [{ column: request, chassis: requested }]),
    ];
    if (found.length === 0) return [];
    const port = escapeText(textOf(row, 'logical_port'), 80);
    const named = found.map(({ column, chassis: name }) => `${column} ${escapeText(name, 80)}`).join(' and ');
    const repairs = [...new Set(found.map(({ column }) => repairOf(column, row._uuid)))].join('; ');
    return [`port ${port} of ${owner.name} has ${named}: its packets may go there, or to no node, until ${repairs}`];
  });
}

/** Column of a port's row, and the chassis that the column names although the port belongs to another node. */
interface Claim {
  readonly column: string;
  readonly chassis: string;
}

/** Key of `options` in a port's row. Every chassis except the one that its value names releases the port. */
const request = 'requested-chassis';

function repairOf(column: string, uuid: string): string {
  return column === request
    ? `ovn-sbctl remove Port_Binding ${uuid} options ${request}`
    : `ovn-sbctl clear Port_Binding ${uuid} ${column}`;
}
