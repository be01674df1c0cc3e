import type { InboundService, NatTable, ServicePlace } from '../../model/shared-bridge.ts';
import { isIpv6 } from '../addresses.ts';
import { connectionZone, wildcardZone } from './connection-zones.ts';

/** Name of this product's table in nftables. */
export const natTableName = 'microshift_net_overlay';

const families = [
  {
    isSix: false,
    map: 'services4',
    zones: 'zones4',
    restricted: 'restricted4',
    permitted: 'permitted4',
    ip: 'ip',
    type: 'ipv4_addr',
  },
  {
    isSix: true,
    map: 'services6',
    zones: 'zones6',
    restricted: 'restricted6',
    permitted: 'permitted6',
    ip: 'ip6',
    type: 'ipv6_addr',
  },
] as const;

/**
 * Comments of the rules of nftables. A rule is recognized by its comment, so a changed rule needs a changed comment.
 */
const comments = {
  ip: 'IPv4: to whom serves it',
  ip6: 'IPv6: to whom serves it',
  zones: { ip: 'IPv4: tracked by who serves it', ip6: 'IPv6: tracked by who serves it' },
  clients: {
    ip: 'IPv4: of clients that the service does not permit',
    ip6: 'IPv6: of clients that the service does not permit',
  },
  wildcard: 'UDP at every address: answered from the address that was asked',
  wildcardZone: 'UDP at every address: tracked apart from earlier connections',
  own: 'of the node itself: answers come back this way',
  forged: 'IPv6: forged, with an address of the node itself',
  others: { ip: 'IPv4: of others, by the address of the LAN', ip6: 'IPv6: of others, by the address of the LAN' },
} as const;

/**
 * Returns a table of nftables for these kinds of packets:
 * - packets of the node itself to services at the node's own addresses and at external addresses
 * - packets of other hosts to services that the node itself serves
 * - packets of other hosts to all inbound services, if they arrive over another interface than the gateway's
 * - packets of pods to UDP processes of the node that listen at every address
 * - forged packets
 *
 * Null if no service has a server and `hasSix` is false. The table has one entry for each address and port of a
 * service, regardless of the number of backends (nft(8), maps and NAT statements). If `hasSix` is true, the table drops
 * packets of other hosts that enter the cluster through the node over IPv6 with an address of the node itself as their
 * source. Every network policy would let these packets pass, and Linux forwards them. Over IPv4, Linux itself drops
 * such packets (net/ipv4/fib_frontend.c, fib_validate_source).
 *
 * The table also translates the source of packets. The node's own packets get the address of `device`, the management
 * port's interface; every network policy allows this address. `shared` has the addresses that node and gateway share,
 * at most one of each family. Packets of other hosts that the node forwards to a service get one of these addresses.
 * Policies treat such an address like any other outside address, and the cluster routes answers to the node.
 *
 * UDP packets from a client are tracked in a zone of the server that receives them (connection-zones.ts); answers are
 * found in the default zone, as with all other protocols (nft(8), ct original zone).
 *
 * Packets from clients outside of a service's source ranges are dropped before the translation. This also applies to
 * packets of the node itself, and to connections that began while the client was permitted.
 */
export function hostServices(
  services: readonly InboundService[],
  device: string,
  shared: readonly string[],
  hasSix: boolean,
): NatTable | null {
  const served = services.flatMap(({ target, ...one }) => (target === null ? [] : [{ ...one, target }]));
  if (served.length === 0 && !hasSix) return null;
  const entries = families.map((family) => ({
    ...family,
    services: served.filter(({ address }) => isIpv6(address) === family.isSix),
  }));
  const rules = entries.filter((family) => family.services.length > 0);
  const chain = (name: string, priority: number, lines: readonly string[], type = 'nat'): string[] => [
    `  chain ${name} {`,
    `    type ${type} hook ${name.replace(/_.*/, '')} priority ${priority}; policy accept;`,
    ...lines.map((line) => `    ${line}`),
    '  }',
  ];
  // The destination of a packet to a service becomes the address and port of a server. The source is translated as
  // well, so that the answer passes this node and is translated back.
  const there = rules.map(
    ({ ip, map }) => `dnat ${ip} to meta l4proto . ${ip} daddr . th dport map @${map} comment "${comments[ip]}"`,
  );
  const zoned = rules.flatMap((family) => {
    const elements = family.services.flatMap(({ target, ...one }) => {
      const zone = connectionZone(one.protocol, one, target);
      return zone === null ? [] : [`${one.protocol} . ${words(one)} : ${zone}`];
    });
    return elements.length === 0 ? [] : [{ ...family, elements }];
  });
  const tracked = zoned.map(
    ({ ip, zones }) =>
      `ct original zone set meta l4proto . ${ip} daddr . th dport map @${zones} comment "${comments.zones[ip]}"`,
  );
  const closed = rules.flatMap((family) => {
    const places = family.services.flatMap(({ permitted, ...one }) =>
      permitted === undefined ? [] : [{ place: `${one.protocol} . ${words(one)}`, permitted }],
    );
    return places.length === 0 ? [] : [{ ...family, places }];
  });
  // Only packets in the original direction of a connection are dropped, because replies of other connections of the
  // node can have the address and port of a service as their destination.
  const refusing = closed.map(({ ip, restricted, permitted }) => {
    const place = `meta l4proto . ${ip} daddr . th dport`;
    const others = `${place} @${restricted} ${place} . ${ip} saddr != @${permitted}`;
    return `ct direction original ${others} drop comment "${comments.clients[ip]}"`;
  });
  const hooks = ['prerouting', 'output'] as const;
  // A UDP process that listens at every address answers from the address of the device by which the answer leaves.
  // Answers to pods leave by `device`, and a pod rejects an answer from an address to which it has sent nothing.
  // Packets of pods to such a process are therefore redirected to the address of `device`. The process answers from
  // this address, and connection tracking translates it to the address to which the pod has sent its packet (nft(8),
  // socket wildcard and redirect).
  const toWildcard = `iifname "${device}" meta l4proto udp fib daddr type local socket wildcard 1`;
  const isAtEveryAddress = services.some(({ protocol, isServedHere }) => isServedHere && protocol === 'udp');
  const atEveryAddress = isAtEveryAddress ? [`${toWildcard} redirect comment "${comments.wildcard}"`] : [];
  // In the default zone, a connection that began before the redirection existed, or before the process listened, would
  // not be redirected for as long as its client sends. The redirected packets therefore have a zone of their own, in
  // which the next packet begins another connection.
  const inOwnZone = isAtEveryAddress
    ? [`${toWildcard} ct original zone set ${wildcardZone} comment "${comments.wildcardZone}"`]
    : [];
  const others = rules.flatMap(({ ip, isSix }) => {
    const address = shared.find((one) => isIpv6(one) === isSix);
    return address === undefined ? [] : [{ ip, address, comment: `${comments.others[ip]} ${address}` }];
  });
  const forged = `oifname "${device}" meta nfproto ipv6 fib saddr type local drop comment "${comments.forged}"`;
  const back = [
    `oifname "${device}" ct status dnat fib saddr type local masquerade comment "${comments.own}"`,
    ...others.map(
      ({ ip, address, comment }) => `oifname "${device}" ct status dnat snat ${ip} to ${address} comment "${comment}"`,
    ),
  ];
  const script = [
    `add table inet ${natTableName}`,
    `delete table inet ${natTableName}`,
    `table inet ${natTableName} {`,
    ...rules.flatMap(({ map, type, services: own }) => [
      `  map ${map} {`,
      `    type inet_proto . ${type} . inet_service : ${type} . inet_service`,
      `    elements = { ${own.map((one) => `${one.protocol} . ${words(one)} : ${words(one.target)}`).join(', ')} }`,
      '  }',
    ]),
    ...zoned.flatMap(({ ip, zones, elements }) => [
      `  map ${zones} {`,
      `    typeof meta l4proto . ${ip} daddr . th dport : ct zone`,
      `    elements = { ${elements.join(', ')} }`,
      '  }',
    ]),
    ...closed.flatMap(({ restricted, permitted, type, places }) => [
      `  set ${restricted} {`,
      `    type inet_proto . ${type} . inet_service`,
      `    elements = { ${places.map(({ place }) => place).join(', ')} }`,
      '  }',
      `  set ${permitted} {`,
      `    type inet_proto . ${type} . inet_service . ${type}`,
      '    flags interval',
      ...elementsOf(places),
      '  }',
    ]),
    // The zone of a packet is set before the kernel looks up its connection, so the chains that set zones have the
    // priority `raw` (-300).
    ...hooks.flatMap((hook) => {
      const before = [...tracked, ...(hook === 'prerouting' ? inOwnZone : [])];
      return before.length === 0 ? [] : chain(`${hook}_zone`, -300, before, 'filter');
    }),
    // The chains that drop clients outside of the source ranges have a priority between those of connection tracking
    // (-200) and of the translation of destinations (-100).
    ...hooks.flatMap((hook) => (refusing.length === 0 ? [] : chain(`${hook}_clients`, -110, refusing, 'filter'))),
    ...(served.length === 0
      ? []
      : [
          ...chain('prerouting', -100, [...there, ...atEveryAddress]),
          ...chain('output', -100, there),
          ...chain('postrouting', 100, back),
        ]),
    ...(hasSix
      ? ['  chain forward {', '    type filter hook forward priority 0; policy accept;', `    ${forged}`, '  }']
      : []),
    '}',
    '',
  ].join('\n');
  const lines = [
    ...rules.flatMap(({ map, services: own }) =>
      own.map((one) => `${map}: ${one.protocol} . ${words(one)} : ${words(one.target)}`),
    ),
    ...zoned.flatMap(({ zones, elements }) => elements.map((element) => `${zones}: ${element}`)),
    ...closed.flatMap(({ restricted, permitted, places }) => [
      ...places.map(({ place }) => `${restricted}: ${place}`),
      ...clientsAt(places).map((element) => `${permitted}: ${element}`),
    ]),
    ...hooks.flatMap((hook) => closed.map(({ ip }) => `${hook}_clients: ${comments.clients[ip]}`)),
    ...hooks.flatMap((hook) => zoned.map(({ ip }) => `${hook}_zone: ${comments.zones[ip]}`)),
    ...hooks.flatMap((hook) => rules.map(({ ip }) => `${hook}: ${comments[ip]}`)),
    ...atEveryAddress.map(() => `prerouting: ${comments.wildcard}`),
    ...inOwnZone.map(() => `prerouting_zone: ${comments.wildcardZone}`),
    ...(served.length === 0 ? [] : [comments.own, ...others.map(({ comment }) => comment)]).map(
      (comment) => `postrouting: ${comment}`,
    ),
    ...(hasSix ? [`forward: ${comments.forged}`] : []),
  ];
  return { script, lines: lines.toSorted() };
}

/** Protocol, address and port of a service, as an element of a set, and the ranges of its permitted clients. */
interface ClosedPlace {
  readonly place: string;
  readonly permitted: readonly string[];
}

/**
 * Returns the elements of the set of permitted clients. nft(8) lists a range of one address without its prefix length.
 */
function clientsAt(places: readonly ClosedPlace[]): readonly string[] {
  return places.flatMap(({ place, permitted }) =>
    permitted.map((range) => `${place} . ${range.replace(isIpv6(range) ? /\/128$/ : /\/32$/, '')}`),
  );
}

function elementsOf(places: readonly ClosedPlace[]): readonly string[] {
  const elements = clientsAt(places);
  return elements.length === 0 ? [] : [`    elements = { ${elements.join(', ')} }`];
}

function words({ address, port }: ServicePlace): string {
  return `${address} . ${port}`;
}

/** Script of nft(8) that deletes this product's table, whether or not the table exists. */
export const removeNatTable = `add table inet ${natTableName}\ndelete table inet ${natTableName}\n`;
