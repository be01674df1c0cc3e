import { AgentError } from '../../errors.ts';
import type { Link, Route } from '../../model/observation.ts';
import type { OverlayNode } from '../../model/overlay.ts';
import type { PortChange } from '../../model/overlay-plan.ts';
import { isDefault } from '../../net/destination.ts';
import { globalAddresses, isWithin, rangeOf } from '../addresses.ts';
import { ethernet, missingNic, neededNic } from './nic-errors.ts';
import type { KernelFacts } from './own-gateway.ts';

/** Facts about a NIC that is to belong to the gateway alone. */
export interface NicFacts extends KernelFacts {
  /** Address of the SSH client in whose session the agent's command runs; null if it runs in no such session. */
  readonly sshPeer: string | null;
  /** Addresses (`address/prefix`) of the NIC with a limited lifetime, from a DHCP lease or a router advertisement. */
  readonly leased: readonly string[];
  /** Names of the ports in bridges of Open vSwitch other than the gateway's bridge. Absent if they are not known. */
  readonly ports?: readonly string[];
}

/**
 * Returns the global addresses of a NIC, which move to the gateway. Refuses a NIC that the node itself needs, because
 * the gateway receives every packet that arrives at the NIC. Also refuses a NIC that has an address of limited
 * lifetime, or an address that is not among the requested ones (`asked`).
 */
export function movedAddresses(
  nic: string,
  asked: readonly string[] | 'auto',
  node: Pick<OverlayNode, 'encap' | 'hostAddresses'>,
  facts: NicFacts,
): readonly string[] {
  const { links, leased, ports = [] } = facts;
  const link = links.find(({ name }) => name === nic);
  if (link === undefined)
    throw missingNic(nic, links, (other) => !ports.includes(other.name) && needOf(other, node, facts) === null);
  const need = needOf(link, node, facts);
  if (need !== null) throw neededNic(nic, need);
  const there = globalAddresses(link);
  const [lease] = there.filter((address) => leased.includes(address));
  if (lease !== undefined) {
    throw new AgentError('interface-unsuitable', `${nic} has ${lease} of a lease, which would run out`, {
      hint: `take the NIC from NetworkManager (nmcli device set ${nic} managed no; for good: unmanaged-devices in its configuration), \`ip address flush dev ${nic}\`, and say --address`,
      facts: { interface: nic },
    });
  }
  const lost = asked === 'auto' ? [] : there.filter((address) => !asked.includes(address));
  if (lost.length > 0) {
    throw new AgentError(
      'interface-unsuitable',
      `${nic} has ${lost.join(', ')}, which would not be answered any more`,
      {
        hint: `take it off first: ip address delete ${lost[0]} dev ${nic}`,
        facts: { interface: nic },
      },
    );
  }
  return there;
}

/** Returns the reason why the node needs a NIC, as the end of a sentence; null if the node does not need it. */
export function needOf(
  link: Link,
  node: Pick<OverlayNode, 'encap' | 'hostAddresses'>,
  facts: Pick<NicFacts, 'routes' | 'sshPeer'>,
): string | null {
  const { name, kind, hardwareType, master } = link;
  if (hardwareType !== ethernet || kind === 'wlan') return 'Open vSwitch carries Ethernet only';
  if (master !== null && master !== 'ovs-system') return `it is part of ${master}`;
  const routes = facts.routes.filter(({ device, gateway }) => device === name && gateway !== null);
  if (routes.some(({ destination }) => isDefault(destination))) return 'a default route of this node leads over it';
  const [route] = routes;
  if (route !== undefined) return `the route of this node to ${route.destination} leads over it`;
  const own = new Set(link.addresses.map(({ address }) => address));
  const needed = [...node.encap.addresses, ...node.hostAddresses].find((address) => own.has(address));
  if (needed !== undefined) return `it has ${needed}, at which the other nodes reach this one`;
  if (facts.sshPeer !== null && deviceTowards(facts.sshPeer, facts.routes) === name)
    return `the SSH session of this command uses it, from ${facts.sshPeer}`;
  return null;
}

/**
 * Returns the device by which a packet to an address leaves: the device of the route with the longest prefix and the
 * lowest metric; null if no route leads to the address.
 */
function deviceTowards(address: string, routes: readonly Route[]): string | null {
  const [best] = routes
    .filter(({ destination }) => isWithin(address, destination))
    .toSorted(
      (a, b) => rangeOf(b.destination).prefixLength - rangeOf(a.destination).prefixLength || a.metric - b.metric,
    );
  return best?.device ?? null;
}

/**
 * Plans the commands that bring up the interfaces of overlay ports. Open vSwitch receives all packets of such an
 * interface, so the commands also remove its addresses from the kernel. Interfaces that are up or do not exist are left
 * out.
 */
export function planAttached(names: readonly string[], links: readonly Link[]): readonly PortChange[] {
  const down = links.filter(({ name, up }) => !up && names.includes(name));
  return down.flatMap(({ name }) => bringUp(name, `${name} leads to hosts of the cluster`));
}

/**
 * Plans the state of the gateway's own NIC in the kernel: the NIC is up and has no global address, because the gateway
 * answers for the NIC's addresses.
 */
export function planNic(nic: string, links: readonly Link[]): readonly PortChange[] {
  const program = 'ip';
  const link = links.find(({ name }) => name === nic);
  if (link === undefined) return [];
  const why = `the gateway has the addresses of ${nic}, so the kernel must not answer for them`;
  if (!link.up) return bringUp(nic, why);
  return globalAddresses(link).map((address) => ({
    program,
    command: `address delete ${address} dev ${nic}`,
    why,
  }));
}

/**
 * Returns the commands that bring a NIC up without a global address. They remove all global addresses, because the
 * agent cannot read the IPv4 addresses of a NIC that is down.
 */
function bringUp(nic: string, why: string): readonly PortChange[] {
  return [
    { program: 'ip', command: `address flush dev ${nic} scope global`, why },
    { program: 'ip', command: `link set dev ${nic} up`, why: `${nic} is not up` },
  ];
}
