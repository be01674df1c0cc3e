import { AgentError } from '../errors.ts';
import type { Link, Route } from '../model/observation.ts';
import type { OverlayNode } from '../model/overlay.ts';
import type { PortChange } from '../model/overlay-plan.ts';
import { isDefault } from '../net/destination.ts';
import { globalAddresses, isWithin, rangeOf } from './addresses.ts';
import type { KernelFacts } from './own-gateway.ts';

/** ARPHRD_ETHER of linux/if_arp.h: what a port of Open vSwitch carries. */
const ethernet = 1;

/** What is known of a NIC that shall be the gateway's own. */
export interface NicFacts extends KernelFacts {
  /** Address of who is connected with the node to run this; null: nobody is. */
  readonly sshPeer: string | null;
  /** Addresses (`address/prefix`) of the NIC that end some day: of a lease, or of a router's advertisement. */
  readonly leased: readonly string[];
}

/**
 * The addresses that move from a NIC to the gateway. Refuses a NIC that somebody needs: the gateway takes every packet that arrives there. `asked`:
 * the addresses that were asked for.
 */
export function movedAddresses(
  nic: string,
  asked: readonly string[] | 'auto',
  node: Pick<OverlayNode, 'encap' | 'hostAddresses'>,
  facts: NicFacts,
): readonly string[] {
  const { links, leased } = facts;
  const link = links.find(({ name }) => name === nic);
  if (link === undefined) {
    throw new AgentError('interface-not-found', `there is no interface ${nic}`, {
      hint: `write one of: ${links.map(({ name }) => name).join(', ')}`,
    });
  }
  const need = needOf(link, node, facts);
  if (need !== null) {
    throw new AgentError('interface-unsuitable', `${nic} cannot be the gateway's own: ${need}`, {
      hint: 'choose a NIC that nobody uses, or leave --interface out: the gateway shares br-ex then',
      facts: { interface: nic },
    });
  }
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
    throw new AgentError('interface-unsuitable', `${nic} has ${lost.join(', ')}, at which nobody would answer`, {
      hint: `take it off first: ip address delete ${lost[0]} dev ${nic}`,
      facts: { interface: nic },
    });
  }
  return there;
}

/** Who needs a NIC, as the second half of a sentence; null: nobody. */
function needOf(link: Link, node: Pick<OverlayNode, 'encap' | 'hostAddresses'>, facts: NicFacts): string | null {
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
    return `who runs this is connected over it, from ${facts.sshPeer}`;
  return null;
}

/** The device by which a packet to an address leaves: that of the narrowest route, lowest metric first. */
function deviceTowards(address: string, routes: readonly Route[]): string | null {
  const [best] = routes
    .filter(({ destination }) => isWithin(address, destination))
    .toSorted(
      (a, b) => rangeOf(b.destination).prefixLength - rangeOf(a.destination).prefixLength || a.metric - b.metric,
    );
  return best?.device ?? null;
}

/**
 * What the kernel has to do with the gateway's own NIC: it is up, and has no address, because nobody would answer there. Of one that is down the kernel shows
 * no address, so that all of them go then.
 */
export function planNic(nic: string, links: readonly Link[]): readonly PortChange[] {
  const link = links.find(({ name }) => name === nic);
  if (link === undefined) return [];
  if (!link.up) {
    return [
      { command: `address flush dev ${nic} scope global`, why: `${nic} is the gateway's own` },
      { command: `link set dev ${nic} up`, why: `${nic} is not up` },
    ];
  }
  return globalAddresses(link).map((address) => ({
    command: `address delete ${address} dev ${nic}`,
    why: `${nic} is the gateway's own`,
  }));
}
