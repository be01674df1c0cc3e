import type { Protocol } from '../../model/workload.ts';

/** Port numbers of a protocol, from the first to the last. */
export interface PortSpan {
  readonly first: number;
  readonly last: number;
}

/**
 * Protocols and ports of packets: `any` for every IP packet; otherwise ports of these protocols, sorted, and ICMP as a
 * whole.
 */
export type PortSet = 'any' | ({ readonly [Of in Protocol]: readonly PortSpan[] } & { readonly icmp: boolean });

export const protocols: readonly Protocol[] = ['TCP', 'UDP', 'SCTP'];
const allPorts: readonly PortSpan[] = [{ first: 0, last: 65_535 }];

/** Returns the set of these ports of a protocol. */
export function portsOf(protocol: Protocol, spans: readonly PortSpan[]): PortSet {
  return { TCP: [], UDP: [], SCTP: [], icmp: false, [protocol]: spans };
}

/** Returns the packets that at least one of the sets contains. */
export function joinedPorts(sets: readonly Exclude<PortSet, 'any'>[]): Exclude<PortSet, 'any'> {
  const spans = (protocol: Protocol): readonly PortSpan[] => {
    const merged: PortSpan[] = [];
    for (const span of sets.flatMap((set) => set[protocol]).toSorted((a, b) => a.first - b.first || a.last - b.last)) {
      const before = merged.at(-1);
      if (before === undefined || span.first > before.last + 1) merged.push(span);
      else merged[merged.length - 1] = { first: before.first, last: Math.max(before.last, span.last) };
    }
    return merged;
  };
  return { TCP: spans('TCP'), UDP: spans('UDP'), SCTP: spans('SCTP'), icmp: sets.some(({ icmp }) => icmp) };
}

/**
 * Returns the packets of `set` that are not in `other`. OVN has no match for "every protocol except these", so `any`
 * without some ports is the rest of TCP, UDP and SCTP, and ICMP; packets of other protocols are left out. Null if no
 * packet is left.
 */
export function withoutPorts(set: PortSet, other: PortSet): PortSet | null {
  if (other === 'any') return null;
  const whole = set === 'any' ? { TCP: allPorts, UDP: allPorts, SCTP: allPorts, icmp: true } : set;
  const left = {
    TCP: withoutSpans(whole.TCP, other.TCP),
    UDP: withoutSpans(whole.UDP, other.UDP),
    SCTP: withoutSpans(whole.SCTP, other.SCTP),
    icmp: whole.icmp && !other.icmp,
  };
  return left.icmp || protocols.some((protocol) => left[protocol].length > 0) ? left : null;
}

/** Returns true if a packet can be in both sets. */
export function portsMeet(one: PortSet, other: PortSet): boolean {
  if (one === 'any' || other === 'any') return true;
  if (one.icmp && other.icmp) return true;
  return protocols.some((protocol) =>
    one[protocol].some((a) => other[protocol].some((b) => a.first <= b.last && b.first <= a.last)),
  );
}

/** Returns true if the set contains packets to this port. */
export function hasPort(set: PortSet, protocol: Protocol, port: number): boolean {
  return set === 'any' || set[protocol].some(({ first, last }) => first <= port && port <= last);
}

function withoutSpans(spans: readonly PortSpan[], others: readonly PortSpan[]): readonly PortSpan[] {
  return others.reduce<readonly PortSpan[]>(
    (left, other) =>
      left.flatMap((span) => {
        if (span.last < other.first || other.last < span.first) return [span];
        return [
          { first: span.first, last: other.first - 1 },
          { first: other.last + 1, last: span.last },
        ].filter(({ first, last }) => first <= last);
      }),
    spans,
  );
}

/** Returns the match of a set (ovn-sb(5), expressions); null for `any`. */
export function portsMatch(set: PortSet, icmp: 'icmp4' | 'icmp6'): string | null {
  if (set === 'any') return null;
  const terms = [...protocols.flatMap((protocol) => termsOf(protocol, set[protocol])), ...(set.icmp ? [icmp] : [])];
  return terms.length === 1 ? (terms[0] ?? '') : `(${terms.join(' || ')})`;
}

function termsOf(protocol: Protocol, spans: readonly PortSpan[]): readonly string[] {
  const word = protocol.toLowerCase();
  if (spans.some(({ first, last }) => first === 0 && last === 65_535)) return [word];
  const singles = spans.filter(({ first, last }) => first === last).map(({ first }) => first);
  const ranges = spans.filter(({ first, last }) => first < last);
  const listed = singles.length === 1 ? `${singles[0]}` : `{${singles.join(', ')}}`;
  return [
    ...(singles.length === 0 ? [] : [`${word}.dst == ${listed}`]),
    ...ranges.map((span) => rangeMatch(word, span)),
  ];
}

function rangeMatch(word: string, { first, last }: PortSpan): string {
  if (first === 0) return `${word}.dst <= ${last}`;
  if (last === 65_535) return `${word}.dst >= ${first}`;
  return `(${word}.dst >= ${first} && ${word}.dst <= ${last})`;
}
