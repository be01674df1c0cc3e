import type { NmProfile } from '../model/observation.ts';

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

/** True for a profile this agent made: one with a name of ours, or a copy of a port's profile. */
export function isOwnProfile(profile: NmProfile): boolean {
  return ownProfileIds.has(profile.id) || bridges.some((names) => isPortCopy(names, profile));
}

/** True for a copy of a port's profile: it names the uplink's profile of ours as its controller and says what it was made from. */
export function isPortCopy(names: BridgeNames, profile: NmProfile): boolean {
  return controllerOf(profile) === profileUuid(names.uplinkInterface) && sourceOf(profile) !== null;
}

/** What a port's profile names as its controller, in either spelling (NetworkManager 1.46 renamed it); null: it is no port. */
export function controllerOf(profile: NmProfile): string | null {
  const { controller, master } = profile.settings.connection ?? {};
  const value = controller?.[1] ?? master?.[1];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** UUID of the profile that one of ours was made from. */
export function sourceOf(profile: NmProfile): string | null {
  const data = profile.settings.user?.data?.[1] as Record<string, string> | undefined;
  return data?.[userData.sourceProfile] ?? null;
}

/** The profile ids of one bridge. */
export function profileIds(names: BridgeNames): readonly string[] {
  return [names.bridge, names.bridgePort, names.bridgeInterface, names.uplinkPort, names.uplinkInterface];
}

/** Keys of the `user` setting by which a profile of ours says what it was made from. */
export const userData = {
  sourceProfile: 'microshift-net.source-profile',
  sourceId: 'microshift-net.source-id',
  /** In the copy of a profile that NetworkManager made up for a NIC somebody else configured. */
  keptFrom: 'microshift-net.kept-from',
  /** In such a copy: the settings that were given the metric their routes had. */
  keptMetrics: 'microshift-net.kept-metrics',
} as const;

/** External ids of a bridge row by which NetworkManager knows it for its own, and by which we know one we borrowed from it. */
export const ownerKeys = { networkManager: 'NM.connection.uuid', borrowed: 'microshift-net.borrowed-from' } as const;

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

/** Mixed into the UUID of a profile to make that of its copy: the same in every run, and another one for every profile. */
const copyMask = '6f1c1a0e5d0b4c7e9a55b7c0de5a1f2b';

/** UUID of our copy of a profile (RFC 9562 version 8: made in a way of its own). */
export function copyUuid(uuid: string): string {
  const digits = [...uuid.replaceAll('-', '').padEnd(32, '0').slice(0, 32)].map(
    (digit, index) => Number.parseInt(digit, 16) ^ Number.parseInt(copyMask[index] ?? '0', 16),
  );
  digits[12] = 8;
  digits[16] = ((digits[16] ?? 0) & 3) | 8;
  const text = digits.map((digit) => digit.toString(16)).join('');
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}

/** UUID of the profile of ours with this id. */
export function profileUuid(id: string): string {
  const uuid = profileUuids[id];
  if (uuid === undefined) throw new TypeError(`no profile of ours is called ${id}`);
  return uuid;
}

/** Everything of this agent that a comparison may find: what of it is not wanted has to go. */
export const ownNames = { bridges: bridges.map((names) => names.bridge), isOwnProfile };
