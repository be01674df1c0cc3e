import type { ServicePlace, ServiceProtocol } from '../../model/shared-bridge.ts';

/**
 * Zones of connection tracking for UDP services. They lie above the zones that ovn-controller assigns from 1 on, and
 * below those of ovn-kubernetes and of a shared bridge, which begin at 64000. Zones must not overlap, because Open
 * vSwitch's kernel data path uses the same connection tracking table as the kernel.
 */
const zones = { first: 32_768, count: 64_000 - 32_768 };

/**
 * Zone for UDP packets from the cluster to a process of the node that listens at every address. It is the zone below
 * those of UDP services.
 */
export const wildcardZone = zones.first - 1;

/** Offset basis and prime of FNV-1a with 32 bits, the hash by which each server of a UDP service gets its zone. */
const fnv = { basis: 0x811c9dc5, prime: 0x01000193 };

/**
 * Returns the zone of connection tracking for packets to the service at `at` that are forwarded to its server `target`;
 * null for the default zone, which all protocols except UDP use. A tracked connection keeps its first server for as
 * long as its client sends, and a UDP connection has no end. Each server of a UDP service therefore has a zone of its
 * own, in which entries for an earlier server have no effect. A TCP connection ends by itself and has to keep its
 * server until then, so it is tracked in the default zone.
 */
export function connectionZone(protocol: ServiceProtocol, at: ServicePlace, target: ServicePlace): number | null {
  if (protocol !== 'udp') return null;
  const text = `${at.address} ${at.port} ${target.address} ${target.port}`;
  let hash = fnv.basis;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), fnv.prime) >>> 0;
  return zones.first + (hash % zones.count);
}
