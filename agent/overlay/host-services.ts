import type { ArrivingService, NatTable, ServicePlace } from '../model/overlay-demux.ts';
import { isIpv6 } from './addresses.ts';

/** The only table of nftables that is ours. */
export const natTableName = 'microshift_net_overlay';

const families = [
  { isSix: false, map: 'services4', ip: 'ip', type: 'ipv4_addr' },
  { isSix: true, map: 'services6', ip: 'ip6', type: 'ipv6_addr' },
] as const;

/** A comment is how a rule is known again: whoever changes a rule changes its comment. */
const comments = {
  ip: 'IPv4: to whom serves it',
  ip6: 'IPv6: to whom serves it',
  own: 'of the node itself: answers come back this way',
  others: { ip: 'IPv4: of others, by the address of the LAN', ip6: 'IPv6: of others, by the address of the LAN' },
} as const;

/**
 * The table by which the node itself reaches services at its own and external addresses, and others reach those that the node itself serves; null: there
 * are none. One entry per service, whatever serves it (nft(8), maps and NAT statements). `device` is the node's interface in the cluster, of which
 * its own packets get their address, which every network policy lets pass. What others have sent, which has come by another interface than the gateway's,
 * gets the address that node and gateway share (`shared`, one of each family at most): policies judge that one as any other, and the cluster leads answers
 * to it back to the node.
 */
export function hostServices(
  services: readonly ArrivingService[],
  device: string,
  shared: readonly string[],
): NatTable | null {
  const served = services.flatMap(({ target, ...one }) => (target === null ? [] : [{ ...one, target }]));
  if (served.length === 0) return null;
  const entries = families.map((family) => ({
    ...family,
    services: served.filter(({ address }) => isIpv6(address) === family.isSix),
  }));
  const rules = entries.filter((family) => family.services.length > 0);
  const chain = (hook: string, priority: number, lines: readonly string[]): string[] => [
    `  chain ${hook} {`,
    `    type nat hook ${hook} priority ${priority}; policy accept;`,
    ...lines.map((line) => `    ${line}`),
    '  }',
  ];
  // The answer of a service at another port than it was asked at has to pass the same way.
  const there = rules.map(
    ({ ip, map }) => `dnat ${ip} to meta l4proto . ${ip} daddr . th dport map @${map} comment "${comments[ip]}"`,
  );
  const others = rules.flatMap(({ ip, isSix }) => {
    const address = shared.find((one) => isIpv6(one) === isSix);
    return address === undefined ? [] : [{ ip, address, comment: `${comments.others[ip]} ${address}` }];
  });
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
    ...chain('prerouting', -100, there),
    ...chain('output', -100, there),
    ...chain('postrouting', 100, back),
    '}',
    '',
  ].join('\n');
  const lines = [
    ...rules.flatMap(({ map, services: own }) =>
      own.map((one) => `${map}: ${one.protocol} . ${words(one)} : ${words(one.target)}`),
    ),
    ...['prerouting', 'output'].flatMap((hook) => rules.map(({ ip }) => `${hook}: ${comments[ip]}`)),
    ...[comments.own, ...others.map(({ comment }) => comment)].map((comment) => `postrouting: ${comment}`),
  ];
  return { script, lines: lines.toSorted() };
}

function words({ address, port }: ServicePlace): string {
  return `${address} . ${port}`;
}

/** A script that takes the table away; one that is not there is fine. */
export const removeNatTable = `add table inet ${natTableName}\ndelete table inet ${natTableName}\n`;
