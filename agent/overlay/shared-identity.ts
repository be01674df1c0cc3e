import { AgentError } from '../errors.ts';
import type { NorthboundFacts } from '../model/overlay.ts';
import { overlaps } from '../net/address-range.ts';
import { rangeOf } from './addresses.ts';
import { type Existing, listOf, textOf } from './existing.ts';
import { clusterRouterOf } from './ownership.ts';

/** Refuses what two nodes cannot share: a chassis, a number, an address of their tunnels, a subnet. */
export function refuseSharedIdentity(facts: NorthboundFacts): void {
  const { nodes, chassis, leaving } = facts;
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
  for (const one of chassis) {
    const who = nodes.find(({ name }) => isNamed(one.hostname, name))?.name ?? one.hostname;
    if (anonymous.includes(who) || leaving.some((name) => isNamed(who, name))) continue;
    claim('system-id', one.name, who);
    for (const address of one.encapAddresses) claim('tunnel address', address, who);
  }
}

/** What a chassis is called before its node has a name. */
const anonymous = ['', 'localhost', 'localhost.localdomain'];

/** A host may call itself by its full name. */
function isNamed(hostname: string, node: string): boolean {
  return hostname === node || hostname.startsWith(`${node}.`);
}

const hints: Readonly<Record<string, string>> = {
  'system-id':
    'a disk was copied: remove /etc/openvswitch/system-id.conf on one of them, restart openvswitch there, and join again',
  'tunnel address': 'set overlay.encapAddress on one of them; or one of them left without being removed',
  subnet: 'take the node out and in again, so that it gets a subnet that is free',
};

/** Refuses a subnet that another node has, or that is no part of the cluster's. */
export function refuseTakenSubnets({ layout, nodes, leaving }: NorthboundFacts, existing: Existing): void {
  const planned = nodes.flatMap((node) => node.subnets.map((subnet) => ({ owner: node.name, subnet })));
  const router = clusterRouterOf(existing);
  const there = existing
    .referred(router, 'ports', 'Logical_Router_Port')
    .map((port) => ({ port, name: textOf(port, 'name') }))
    .filter(({ name }) => name.startsWith('rtos-'))
    .flatMap(({ port, name }) =>
      listOf(port, 'networks').map((network) => ({ owner: name.slice(5), subnet: String(network) })),
    );
  const names = new Set(nodes.map(({ name }) => name));
  const others = [...planned, ...there.filter(({ owner }) => !names.has(owner) && !leaving.includes(owner))];
  for (const one of planned) {
    const other = others.find(
      ({ owner, subnet }) => owner !== one.owner && overlaps(rangeOf(subnet), rangeOf(one.subnet)),
    );
    if (other !== undefined) {
      throw new AgentError(
        'overlay-conflict',
        `subnet ${one.subnet} of node ${one.owner} is taken by node ${other.owner}`,
        {
          hint: hints.subnet,
          facts: { node: one.owner, other: other.owner, subnet: one.subnet },
        },
      );
    }
    if (!layout.clusterSubnets.some((cluster) => isInside(one.subnet, cluster))) {
      throw new AgentError(
        'overlay-conflict',
        `subnet ${one.subnet} of node ${one.owner} is not in ${layout.clusterSubnets.join(' or ')}`,
        {
          hint: "choose one within the cluster's subnet",
          facts: { node: one.owner, subnet: one.subnet },
        },
      );
    }
  }
}

function isInside(inner: string, outer: string): boolean {
  const [a, b] = [rangeOf(inner), rangeOf(outer)];
  return a.family === b.family && a.first >= b.first && a.last <= b.last;
}
