import { createHash } from 'node:crypto';

/** Names the script this agent replaces gave its profiles; kept, because other tools and admins know them. */
export interface BridgeNames {
  readonly bridge: string;
  readonly bridgePort: string;
  readonly bridgeInterface: string;
  readonly uplinkPort: string;
  readonly uplinkInterface: string;
  /** Route metric of the bridge: below every default of NetworkManager, so that the bridge has the default route. */
  readonly routeMetric: number;
}

export const gatewayBridge: BridgeNames = {
  bridge: 'br-ex',
  bridgePort: 'ovs-port-br-ex',
  bridgeInterface: 'ovs-if-br-ex',
  uplinkPort: 'ovs-port-phys0',
  uplinkInterface: 'ovs-if-phys0',
  routeMetric: 48,
};

export const externalBridge: BridgeNames = {
  bridge: 'br-ex1',
  bridgePort: 'ovs-port-br-ex1',
  bridgeInterface: 'ovs-if-br-ex1',
  uplinkPort: 'ovs-port-phys1',
  uplinkInterface: 'ovs-if-phys1',
  routeMetric: 49,
};

export const bridges: readonly BridgeNames[] = [gatewayBridge, externalBridge];

/** Every profile id this agent may write, of both bridges. */
export const ownProfileIds: ReadonlySet<string> = new Set(bridges.flatMap(profileIds));

/** The profile ids of one bridge. */
export function profileIds(names: BridgeNames): readonly string[] {
  return [names.bridge, names.bridgePort, names.bridgeInterface, names.uplinkPort, names.uplinkInterface];
}

/** Keys of the `user` setting by which a profile of ours says what it was made from. */
export const userData = { sourceProfile: 'microshift-net.source-profile', sourceId: 'microshift-net.source-id' } as const;

/** MAC of br-ex without a NIC, as MicroShift sets it today. */
export const noUplinkMac = '0A:59:00:00:00:01';

/**
 * UUID of a profile of ours: made from its id (RFC 9562 version 5), so that it is the same in every boot and DHCP and IPv6
 * identities derived from it stay.
 */
export function profileUuid(id: string): string {
  const namespace = Buffer.from('6f1c1a0e5d0b4c7e9a55b7c0de5a1f2b', 'hex');
  const hash = createHash('sha1').update(namespace).update(id).digest().subarray(0, 16);
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
