import type { DatabaseRow } from '../../model/rows.ts';
import { macOf, withoutLength } from '../../overlay/addresses.ts';
import { is, keys } from '../../overlay/column-changes.ts';
import type { WantedRow } from '../../overlay/draft.ts';
import { type Existing, textOf } from '../../overlay/existing.ts';
import { isOfObject } from '../../overlay/tags.ts';
import type { Part, UnitDraft } from '../part.ts';
import { kubeletUid } from './mirror.ts';
import { portName } from './port-name.ts';

/** Logical ports of pods, on the switches of their nodes: of every pod that has an address. */
export const pods: Part = {
  kind: 'pod',
  keys: ({ addresses }) => addresses.keys(),
  concerned: ({ kind, before, now }) => {
    const one = now ?? before;
    return kind === 'Pod' && one !== undefined && 'namespace' in one ? [`${one.namespace}/${one.name}`] : [];
  },
  want: (key, unit) => {
    const pod = unit.workload.pods.get(key);
    const addresses = unit.addresses.get(key);
    const node = unit.nodes.find(({ name }) => name === pod?.nodeName);
    if (pod === undefined || addresses === undefined || node === undefined) return;
    const name = portName(key);
    const nodeSwitch = switchOf(unit.draft.existing, node.name);
    const existing = unit.draft.existing.named('Logical_Switch_Port', name);
    if (nodeSwitch === null || (existing !== null && !isPod(existing))) {
      const why = nodeSwitch === null ? `${node.name} has no switch yet` : 'its name is that of another port';
      unit.draft.trace.push(`Logical_Switch_Port ${name}=left out, ${why}`);
      return;
    }
    const plain = addresses.map(withoutLength);
    const place = [macOf(plain[0] ?? ''), ...plain].join(' ');
    unit.want({
      table: 'Logical_Switch_Port',
      title: name,
      existing: onSwitch(unit, existing, nodeSwitch),
      columns: {
        name: is(name),
        addresses: is([place]),
        port_security: is([place]),
        // Neither an interface of the pod of that name before, nor one on another node, is taken for this one.
        options: keys({ 'iface-id-ver': kubeletUid(pod), 'requested-chassis': node.systemId }),
        external_ids: keys({ namespace: pod.namespace, pod: 'true' }),
      },
      place: { row: nodeSwitch, column: 'ports' },
      why: `pod ${key} runs on ${node.name}`,
    });
  },
};

function switchOf({ named }: Existing, node: string): WantedRow | null {
  const row = named('Logical_Switch', node);
  return row === null ? null : { table: 'Logical_Switch', title: node, reference: row._uuid, existing: row };
}

/** True for a port of a pod: another one with its name is a router's, a NIC's or the node's. */
export function isPod(row: DatabaseRow): boolean {
  return textOf(row, 'type') === '' && isOfObject(row);
}

/** The row where it is on this switch. The pod before may have run on another node: a port cannot be moved, so that one goes and a new one is made. */
function onSwitch({ draft }: UnitDraft, row: DatabaseRow | null, nodeSwitch: WantedRow): DatabaseRow | null {
  if (row === null || draft.existing.holderOf(row)?.row === nodeSwitch.existing) return row;
  draft.remove('Logical_Switch_Port', row, textOf(row, 'name'), 'the pod of this name runs on another node now');
  return null;
}
