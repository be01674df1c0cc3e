import { isPortKey } from '../../model/overlay-port.ts';
import type { DatabaseRow } from '../../model/rows.ts';
import { macOf, withoutLength } from '../../overlay/addresses.ts';
import { is, keys } from '../../overlay/rows/column-changes.ts';
import type { PlannedRow } from '../../overlay/rows/desired-rows.ts';
import { type RowIndex, textOf } from '../../overlay/rows/row-index.ts';
import { isOfObject } from '../../overlay/rows/tags.ts';
import type { ObjectPlanner, Part } from '../part.ts';
import { portName } from './port-name.ts';
import { kubeletUid } from './static-pods.ts';

/** Planner of the logical port of every pod that has an address, on the switch of its node. */
export const pods: Part = {
  kind: 'pod',
  keys: ({ addresses }) => addresses.keys(),
  concerned: ({ kind, before, now }) => {
    const one = now ?? before;
    return kind === 'Pod' && one !== undefined && 'namespace' in one ? [`${one.namespace}/${one.name}`] : [];
  },
  plan: (key, planner) => {
    if (isPortKey(key)) {
      openPort(key, planner);
      return;
    }
    const pod = planner.workload.pods.get(key);
    const addresses = planner.addresses.get(key);
    const node = planner.nodes.find(({ name }) => name === pod?.nodeName);
    if (pod === undefined || addresses === undefined || node === undefined) return;
    const name = portName(key);
    const nodeSwitch = switchOf(planner.desired.existing, node.name);
    const existing = planner.desired.existing.named('Logical_Switch_Port', name);
    if (nodeSwitch === null || (existing !== null && !isPod(existing))) {
      const why = nodeSwitch === null ? `${node.name} has no switch yet` : 'its name is that of another port';
      planner.desired.trace.push(`Logical_Switch_Port ${name}=left out, ${why}`);
      return;
    }
    const plain = addresses.map(withoutLength);
    const place = [macOf(plain[0] ?? ''), ...plain].join(' ');
    planner.add({
      table: 'Logical_Switch_Port',
      title: name,
      existing: onSwitch(planner, existing, nodeSwitch),
      columns: {
        name: is(name),
        addresses: is([place]),
        port_security: is([place]),
        // The options `iface-id-ver` and `requested-chassis` keep OVN from binding the port to an interface of an
        // earlier pod of the same name, or to an interface on another node.
        options: keys({ 'iface-id-ver': kubeletUid(pod), 'requested-chassis': node.systemId }),
        external_ids: keys({ namespace: pod.namespace, pod: 'true' }),
      },
      place: { row: nodeSwitch, column: 'ports' },
      why: `pod ${key} runs on ${node.name}`,
    });
  },
};

/**
 * Enables an overlay port if the workload contains the port; the groups of its network policies are planned in the same
 * transaction. Otherwise keeps the row of the port, which belongs to the plan of a node.
 */
function openPort(key: string, planner: ObjectPlanner): void {
  const title = portName(key);
  const existing = planner.desired.existing.named('Logical_Switch_Port', title);
  if (existing === null) return;
  if (planner.workload.pods.has(key))
    planner.add({
      table: 'Logical_Switch_Port',
      title,
      existing,
      columns: { enabled: is([]) },
      isShared: true,
      why: `the network policies of ${key} are in place`,
    });
  else planner.desired.keep(existing);
}

function switchOf({ named }: RowIndex, node: string): PlannedRow | null {
  const row = named('Logical_Switch', node);
  return row === null ? null : { table: 'Logical_Switch', title: node, reference: row._uuid, existing: row };
}

/** Returns true for the port of a pod; another port of the same name belongs to a router, a NIC or the node. */
export function isPod(row: DatabaseRow): boolean {
  return textOf(row, 'type') === '' && isOfObject(row);
}

/**
 * Returns the row of a pod's port if it is on this switch; null if the port has no row. A row on another switch belongs
 * to an earlier pod of the same name. A port cannot be moved, so the plan deletes that row, and the result is null.
 */
function onSwitch({ desired }: ObjectPlanner, row: DatabaseRow | null, nodeSwitch: PlannedRow): DatabaseRow | null {
  if (row === null || desired.existing.parentOf(row)?.row === nodeSwitch.existing) return row;
  desired.remove('Logical_Switch_Port', row, textOf(row, 'name'), 'the pod of this name runs on another node now');
  return null;
}
