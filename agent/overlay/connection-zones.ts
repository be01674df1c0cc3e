import type { ServicePlace, ServiceProtocol } from '../model/overlay-demux.ts';

/**
 * Zones of the kernel's connection tracking that services of UDP have: above those that ovn-controller gives out, from 1 on, and below those of
 * ovn-kubernetes and of a shared bridge, from 64000 on. Open vSwitch's kernel data path tracks in the same table.
 */
const zones = { first: 32_768, count: 64_000 - 32_768 };

/** The offset basis and the prime of FNV-1a with 32 bits. */
const fnv = { basis: 0x811c9dc5, prime: 0x01000193 };

/**
 * The zone in which packets to a service are tracked; null: the default one. A connection keeps the server that it was given first for as long as its client
 * sends, and UDP has no end: where the server is another one, the zone is another one, and what an earlier one knows means nothing any more. TCP ends by
 * itself, and an established connection has to keep its server.
 */
export function connectionZone(protocol: ServiceProtocol, at: ServicePlace, target: ServicePlace): number | null {
  if (protocol !== 'udp') return null;
  const text = `${at.address} ${at.port} ${target.address} ${target.port}`;
  let hash = fnv.basis;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), fnv.prime) >>> 0;
  return zones.first + (hash % zones.count);
}
