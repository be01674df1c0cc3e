import { AgentError } from '../errors.ts';
import type { TracePacket, TraceProtocol, TraceQuestion } from '../model/overlay-trace.ts';
import type { DatabaseRows } from '../model/rows.ts';
import { canonicalAddress, familyOf } from '../net/address.ts';
import { isIpv6, isWithin, withoutLength } from '../overlay/addresses.ts';
import { nodeNames, vtepNames } from '../overlay/overlay-names.ts';
import { mapOf, textOf } from '../overlay/rows/row-index.ts';
import type { LogicalNetwork, LogicalPort } from './logical-network.ts';
import { clientPort } from './packet.ts';

/**
 * MAC of the LAN's router in a trace: a locally administered MAC. Its value does not matter, because flows do not match
 * it.
 */
const outsideMac = '02:00:00:00:00:01';
/** Largest number of known sources or destinations that an error lists. */
const mostNames = 12;

/** Source or destination of the traced packet. */
interface End {
  /** Logical port that has the address of the source or destination; null if no port has it. */
  readonly port: LogicalPort | null;
  readonly addresses: readonly string[];
}

/** First packet of a trace, and the port at which it enters the logical network. */
export interface Departure {
  readonly inPort: LogicalPort;
  readonly packet: TracePacket;
}

/** Returns true for a port of a pod or a node, which sends packets by itself. */
function isSender({ type, mac }: LogicalPort): boolean {
  return type === '' && mac !== null;
}

/**
 * Finds the source and the destination, and builds the first packet. Fails with `bad-usage` if no packet can be traced
 * between them. For an unknown source or destination, the error lists the known ones.
 */
export function departureOf(question: TraceQuestion, network: LogicalNetwork, southbound: DatabaseRows): Departure {
  const source = endOf(question.source, network);
  const destination = endOf(question.destination, network);
  if (source.port !== null && source.port === destination.port)
    throw new AgentError(
      'bad-usage',
      `${question.source} and ${question.destination} are one port, ${source.port.name}`,
      { hint: 'packets of a port to itself do not pass OVN; name another end' },
    );
  const isSix = (address: string | undefined): boolean => address !== undefined && isIpv6(address);
  const to = destination.addresses.find((address) => source.addresses.some((own) => isSix(own) === isSix(address)));
  const from = source.addresses.find((address) => isSix(address) === isSix(to));
  if (to === undefined || from === undefined)
    throw new AgentError('bad-usage', `${question.source} and ${question.destination} have no address of one family`, {
      hint: 'name addresses instead, both of IPv4 or both of IPv6',
    });
  const router = source.port === null ? network.owner(from) : null;
  if (router !== null)
    throw new AgentError(
      'bad-usage',
      `${from} is the address of ${router.name} on ${router.datapath.name}, which sends nothing by itself`,
      { hint: `name a sender: ${namesIn(network)}` },
    );
  const service = serviceAt(question, to, destination, southbound);
  const start =
    source.port === null ? fromOutside(question, from, to, network) : fromPort(source.port, from, to, network);
  const isIcmp = service.protocol === 'icmp';
  const packet = {
    ...start.macs,
    source: from,
    destination: to,
    ...service,
    sourcePort: isIcmp ? null : clientPort,
    destinationPort: isIcmp ? null : service.destinationPort,
    ttl: 64,
    isReply: false,
  };
  return { inPort: start.inPort, packet };
}

function endOf(text: string, network: LogicalNetwork): End {
  if (familyOf(text) !== null) {
    const address = canonicalAddress(text);
    const owner = network.owner(address);
    return { port: owner !== null && isSender(owner) ? owner : null, addresses: [address] };
  }
  const names = [nodeNames(text).management, text.replace('/', '_')];
  const port = names.map((name) => network.port(name)).find((one) => one !== null && isSender(one));
  if (port != null) return { port, addresses: port.addresses.map(withoutLength) };
  throw new AgentError('bad-usage', `nothing in the cluster is called ${text}`, {
    hint: `name a node, a pod as namespace/name, a port or an address; there are ${namesIn(network)}`,
    facts: { name: text },
  });
}

function namesIn({ ports }: LogicalNetwork): string {
  const senders = ports.filter(isSender).map(({ name }) => name.replace(/^k8s-/, ''));
  const more = senders.length > mostNames ? ` and ${senders.length - mostNames} more` : '';
  return `${senders.toSorted().slice(0, mostNames).join(', ')}${more}`;
}

interface Start {
  readonly inPort: LogicalPort;
  readonly macs: Pick<TracePacket, 'ethSource' | 'ethDestination'>;
}

/**
 * Returns the start of a packet from a logical port. The destination MAC is that of the port with the destination
 * address if this port is on the same switch, otherwise that of the router.
 */
function fromPort(port: LogicalPort, from: string, to: string, network: LogicalNetwork): Start {
  const neighbour = network.owner(to);
  const next = neighbour?.datapath === port.datapath ? neighbour : network.routerFor(port.datapath, from);
  if (next?.mac != null) return { inPort: port, macs: { ethSource: port.mac ?? '', ethDestination: next.mac } };
  throw new AgentError(
    'bad-usage',
    `${port.name} is on switch ${port.datapath.name}, which has no router for ${from}`,
    { hint: 'look at `microshift-net overlay verify` on the central node' },
  );
}

/**
 * Returns the start of a packet from outside of the cluster, which enters at a gateway of the requested node, or of any
 * node if the request names no node. Of several gateways, a gateway with the destination address is preferred. Fails
 * with `bad-usage` if no gateway can be chosen.
 */
function fromOutside({ fromNode, source }: TraceQuestion, from: string, to: string, network: LogicalNetwork): Start {
  const inVxlan = fromVtep(from, network);
  if (inVxlan !== null) return inVxlan;
  const gateways = network.ports
    .filter(({ type }) => type === 'localnet')
    .flatMap((inPort) => {
      const routers = network.ports.filter(({ datapath, peer }) => datapath === inPort.datapath && peer !== null);
      return routers.flatMap(({ peer }) => {
        const router = network.port(peer ?? '');
        return router === null ? [] : [{ inPort, router, node: network.carrier(inPort)?.node ?? null }];
      });
    });
  const has = (port: LogicalPort): boolean => port.addresses.some((address) => withoutLength(address) === to);
  const asked = gateways.filter(({ node }) => fromNode === null || node === fromNode);
  const chosen = asked.find(({ router }) => has(router)) ?? asked[0];
  if (chosen?.router.mac != null)
    return { inPort: chosen.inPort, macs: { ethSource: outsideMac, ethDestination: chosen.router.mac } };
  const nodes = gateways.flatMap(({ node }) => node ?? []);
  throw new AgentError(
    'bad-usage',
    `no port of the cluster has ${from}, and no gateway ${fromNode === null ? '' : `of ${fromNode} `}lets it in`,
    {
      hint:
        nodes.length === 0
          ? `the cluster has no gateway; senders in the cluster are ${namesIn(network)}`
          : `gateways are on ${nodes.join(', ')}; senders in the cluster are ${namesIn(network)}`,
      facts: { name: source },
    },
  );
}

/**
 * Returns the start of a packet of a peer in VXLAN: the router's port to the peer, because ovn-trace does not follow
 * packets from the VTEP to this port. Null if the address belongs to no such peer.
 */
function fromVtep(from: string, network: LogicalNetwork): Start | null {
  const peer = network.vteps.find(({ subnets }) =>
    subnets.some((subnet) => isIpv6(subnet) === isIpv6(from) && isWithin(from, subnet)),
  );
  const router = peer === undefined ? null : network.port(vtepNames(peer.name).onRouter);
  if (peer === undefined || router?.mac == null) return null;
  return { inPort: router, macs: { ethSource: peer.vtep.mac, ethDestination: router.mac } };
}

/**
 * Returns the protocol and the port of the packet. If the request names no protocol and the destination is a service,
 * returns the protocol and port of the service. Fails with `bad-usage` for a service with several ports.
 */
function serviceAt(
  { protocol, port, destination }: TraceQuestion,
  to: string,
  { port: owner }: End,
  southbound: DatabaseRows,
): { readonly protocol: TraceProtocol; readonly destinationPort: number | null } {
  const offers = owner === null && protocol === 'icmp' ? offersOf(to, southbound) : [];
  const [only] = offers;
  if (only === undefined) return { protocol, destinationPort: port };
  if (offers.length === 1) return only;
  const words = offers.map((one) => `--${one.protocol} ${one.destinationPort}`);
  throw new AgentError('bad-usage', `${destination} is a service with several ports`, {
    hint: `say which: ${words.join(', ')}`,
  });
}

function offersOf(address: string, { tables }: DatabaseRows) {
  const vip = /^(?:\[(.*)\]|([^:]*)):(\d+)$/;
  const found = (tables.Load_Balancer ?? []).flatMap((row) =>
    Object.keys(mapOf(row, 'vips')).flatMap((text) => {
      const [, six, four, port] = vip.exec(text) ?? [];
      if (canonicalAddress(six ?? four ?? '') !== address) return [];
      return [
        {
          protocol: textOf(row, 'protocol') === 'udp' ? ('udp' as const) : ('tcp' as const),
          destinationPort: Number(port),
        },
      ];
    }),
  );
  const known = new Map(found.map((one) => [`${one.protocol} ${one.destinationPort}`, one]));
  return [...known.values()];
}
