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
export const userData = {
  sourceProfile: 'microshift-net.source-profile',
  sourceId: 'microshift-net.source-id',
} as const;

/** MAC of br-ex without a NIC, as MicroShift sets it today. */
export const noUplinkMac = '0A:59:00:00:00:01';

/**
 * UUIDs of our profiles, made from their ids (RFC 9562 version 5, namespace 6f1c1a0e-5d0b-4c7e-9a55-b7c0de5a1f2b): the same in every
 * boot, so that DHCP and IPv6 identities derived from them stay. Written out, because a hash library costs more than a whole plan.
 */
const profileUuids: Readonly<Record<string, string>> = {
  'br-ex': 'ffe576ca-2ebf-58d8-864c-d6a2d3391194',
  'ovs-port-br-ex': 'f769b7b4-8b3c-5176-897a-55f4eb3978fb',
  'ovs-if-br-ex': '88758c69-274c-52ae-9ad0-9d574bb5ca6b',
  'ovs-port-phys0': 'c4d23dc8-4c77-50e1-bfd6-215d70f53f5b',
  'ovs-if-phys0': '2e189230-7bf1-5dd2-b6df-ce7b6c1968cb',
  'br-ex1': '9a01303a-397d-55be-b2e7-23d44ebb900e',
  'ovs-port-br-ex1': '1c28c6f6-6faa-54ba-a438-a2e09a5ba35f',
  'ovs-if-br-ex1': '8f7b1ca0-bda1-5a00-99ff-55896586dbfa',
  'ovs-port-phys1': '46d8e51a-58db-5735-9141-5b01a03e2c7b',
  'ovs-if-phys1': '394fbcb5-85d3-5a7c-a8a8-41b4470f231d',
};

/** UUID of the profile of ours with this id. */
export function profileUuid(id: string): string {
  const uuid = profileUuids[id];
  if (uuid === undefined) throw new TypeError(`no profile of ours is called ${id}`);
  return uuid;
}
