import { AgentError } from '../../errors.ts';
import type { NorthboundFacts } from '../../model/overlay.ts';
import { type AddressRange, contains, overlaps } from '../../net/address-range.ts';
import { rangeOf } from '../addresses.ts';
import { listOf, type RowIndex, textOf } from '../rows/row-index.ts';
import { clusterRouterOf } from '../rows/row-ownership.ts';

/**
 * Refuses a record in which two nodes have the same name, system-id, number, tunnel address or subnet. Data that
 * members write themselves leads to no refusal here; the function believedClaims compares it with their certificates.
 */
export function refuseSharedIdentity({ nodes }: Pick<NorthboundFacts, 'nodes'>): void {
  const seen = new Map<string, string>();
  const claim = (what: string, value: string | number, who: string): void => {
    const key = `${what} ${value}`;
    const other = seen.get(key);
    if (other !== undefined && other !== who) {
      throw new AgentError('overlay-conflict', `nodes ${other} and ${who} have the same ${what}, ${value}`, {
        hint: hints[what] ?? 'give one of them another',
        facts: { nodes: [other, who] },
      });
    }
    seen.set(key, who);
  };
  for (const node of nodes) {
    claim('name', node.name, node.systemId);
    claim('system-id', node.systemId, node.name);
    claim('number', node.id, node.name);
    for (const address of node.encap.addresses) claim('tunnel address', address, node.name);
    for (const subnet of node.subnets) claim('subnet', subnet, node.name);
  }
}

const hints: Readonly<Record<string, string>> = {
  'system-id':
    'a disk was copied: remove /etc/openvswitch/system-id.conf on one of them, restart openvswitch there, and join again',
  'tunnel address': 'set overlay.encapAddress on one of them; or one of them left without being removed',
  subnet: 'take the node out and in again, so that it gets a subnet that is free',
};

/** Refuses a subnet that overlaps a subnet of another node, or that is not within the cluster's subnets. */
export function refuseTakenSubnets({ layout, nodes, leaving }: NorthboundFacts, existing: RowIndex): void {
  const planned = nodes.flatMap(({ name, subnets }) => subnets.map((subnet) => ({ owner: name, ...rangeOf(subnet) })));
  const away = new Set([...nodes.map(({ name }) => name), ...leaving]);
  const others = [...planned, ...subnetsThere(existing).filter(({ owner }) => !away.has(owner))];
  const clusters = layout.clusterSubnets.map(rangeOf);
  for (const one of planned) {
    const other = others.find((entry) => entry.owner !== one.owner && overlaps(entry, one));
    if (other !== undefined) {
      const message = `subnet ${one.text} of node ${one.owner} is taken by node ${other.owner}`;
      const facts = { node: one.owner, other: other.owner, subnet: one.text };
      const hint = `take ${other.owner} out (microshift-net overlay leave --node ${other.owner}), or, if it is not a node of this overlay, its port: ovn-nbctl lrp-del rtos-${other.owner}`;
      throw new AgentError('overlay-conflict', message, { hint, facts });
    }
    if (!clusters.some((cluster) => contains(cluster, one))) {
      const message = `subnet ${one.text} of node ${one.owner} is not in ${layout.clusterSubnets.join(' or ')}`;
      const facts = { node: one.owner, subnet: one.text };
      throw new AgentError('overlay-conflict', message, { hint: "choose one within the cluster's subnet", facts });
    }
  }
}

/** Returns the subnets for which the cluster's router has a port, and the node of each. */
function subnetsThere(existing: RowIndex): readonly (AddressRange & { readonly owner: string })[] {
  return existing.referred(clusterRouterOf(existing), 'ports', 'Logical_Router_Port').flatMap((port) => {
    const [, owner] = /^rtos-(.*)/.exec(textOf(port, 'name')) ?? [];
    return owner === undefined ? [] : listOf(port, 'networks').map((one) => ({ owner, ...rangeOf(String(one)) }));
  });
}
