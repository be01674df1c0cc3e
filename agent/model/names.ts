import { addedBridgeOfProfile, addedNames, addedUuid, isAddedRow } from './added-names.ts';
import type { BridgeNames } from './bridge-names.ts';
import type { NmProfile, Observation, OvsBridge } from './observation.ts';
import type { Wanted } from './plan.ts';
import { stringsOf, textOf } from './profile-settings.ts';

export type { BridgeNames } from './bridge-names.ts';

export const gatewayBridge = namesOf('br-ex', 'phys0', 48);
export const externalBridge = namesOf('br-ex1', 'phys1', 49);

function namesOf(bridge: string, nic: string, routeMetric: number) {
  return {
    bridge,
    bridgePort: `ovs-port-${bridge}`,
    bridgeInterface: `ovs-if-${bridge}`,
    formerUplinkPort: `ovs-port-${nic}`,
    formerUplinkInterface: `ovs-if-${nic}`,
    routeMetric,
    isAdded: false,
  } satisfies BridgeNames;
}

/** Bridges whose uplinks ovn.yaml can set. */
export const bridges: readonly BridgeNames[] = [gatewayBridge, externalBridge];

/**
 * Facts by which the bridges of `bridge add` are recognized: the list of these bridges, the rows of Open vSwitch, and
 * the profiles of NetworkManager. A fact that is not known is absent.
 */
export interface BridgeTraces {
  readonly hints?: Pick<Observation['hints'], 'addedBridges'>;
  readonly ovs: Pick<Observation['ovs'], 'bridges'>;
  readonly networkManager?: Pick<Observation['networkManager'], 'profiles'>;
}

/**
 * Returns every bridge that is or could be the agent's on this node: br-ex and br-ex1, those of `bridge add`, and
 * remains of such bridges.
 */
export function bridgesOf(
  { hints, ovs, networkManager }: BridgeTraces,
  more: Wanted['added'] = [],
): readonly BridgeNames[] {
  const listed = [...more, ...(hints?.addedBridges ?? [])];
  const left = [
    ...ovs.bridges.filter((row) => isAddedRow(row, ownerOf(row))).map((row) => row.name),
    ...(networkManager?.profiles ?? []).flatMap((profile) => addedBridgeOfProfile(profile) ?? []),
  ];
  const added = new Set([...listed.map((entry) => entry.bridge), ...left]);
  const metricOf = (name: string) => listed.find((entry) => entry.bridge === name)?.routeMetric;
  return [...bridges, ...[...added].toSorted().map((name) => addedNames(name, metricOf(name)))];
}

/** Returns the ids of the profiles of one bridge. */
export function profileIds(names: BridgeNames): readonly string[] {
  return [names.bridge, names.bridgePort, names.bridgeInterface];
}

/** Returns the ids of the profiles of one bridge, including those that only configure-ovs.sh writes. */
export function everyProfileId(names: BridgeNames): readonly string[] {
  return [...profileIds(names), ...[names.formerUplinkPort, names.formerUplinkInterface].flatMap((id) => id ?? [])];
}

/**
 * Ids of the profiles that the agent or configure-ovs.sh may have written for br-ex and br-ex1. The copies that
 * configure-ovs.sh made for the ports of a bond or team are left out.
 */
export const ownProfileIds: ReadonlySet<string> = new Set(bridges.flatMap(everyProfileId));

/** Suffix of the names of the profiles with which configure-ovs.sh moved the ports of a bond or team. */
const scriptCopyEnding = '-slave-ovs-clone';

/**
 * Returns the bridge for which this agent or configure-ovs.sh made a profile; null if neither of them made it.
 * configure-ovs.sh copied the profiles of the ports of a bond or team. Each copy names its controller by UUID or by id
 * (`connection.controller`): a copy whose controller is the profile ovs-if-phys0 belongs to br-ex, and a copy whose
 * controller is ovs-if-phys1 to br-ex1. A copy whose controller no longer exists counts as one of br-ex.
 */
export function bridgeOfProfile(profile: NmProfile, observation: Observation): BridgeNames | null {
  const named = bridges.find((names) => everyProfileId(names).includes(profile.id));
  if (named !== undefined) return named;
  const added = addedBridgeOfProfile(profile);
  if (added !== null) return addedNames(added);
  const isScriptCopy = profile.id.endsWith(scriptCopyEnding);
  const controller = controllerOf(profile);
  if (!isScriptCopy && (controller === null || sourceOf(profile) === null)) return null;
  const holder = observation.networkManager.profiles.find(({ uuid, id }) => uuid === controller || id === controller);
  const byController = holder && bridges.find((names) => names.formerUplinkInterface === holder.id);
  return byController ?? (isScriptCopy ? gatewayBridge : null);
}

/** Returns true if configure-ovs.sh made a NIC a port of a bridge through a profile. */
export function isFormerLayout({ networkManager }: Observation): boolean {
  return networkManager.profiles.some(({ id }) => bridges.some((names) => names.formerUplinkInterface === id));
}

/**
 * Returns the controller that a port's profile names, in the property `controller` or, before NetworkManager 1.46,
 * `master`; null if the profile is not that of a port.
 */
export function controllerOf(profile: NmProfile): string | null {
  const { settings } = profile;
  const value = textOf(settings, 'connection', 'controller') ?? textOf(settings, 'connection', 'master') ?? '';
  return value === '' ? null : value;
}

/** Returns the UUID of the profile from which this profile of the agent was made; null if the profile names none. */
export function sourceOf(profile: NmProfile): string | null {
  return stringsOf(profile.settings, 'user', 'data')[userData.sourceProfile] ?? null;
}

/** Keys of the `user` setting with which the agent's profiles record their origin. */
export const userData = {
  sourceProfile: 'microshift-net.source-profile',
  sourceId: 'microshift-net.source-id',
  /**
   * Key that marks the copy of a profile. Its value is the UUID of the original profile, which NetworkManager generated
   * for a NIC that another program had configured.
   */
  copyOf: 'microshift-net.kept-from',
  /** Key for the foreign addresses that came to the bridge with its NIC, and that leave it with the NIC. */
  carried: 'microshift-net.carried',
} as const;

/**
 * External ids of a bridge row that contain the UUID of its profile. The first is NetworkManager's mark. It is removed
 * before NetworkManager restarts, so that NetworkManager does not remove the bridge (systemd/NetworkManager.service.d).
 * The second is the agent's mark, which stays.
 */
export const ownerKeys = {
  networkManager: 'NM.connection.uuid',
  own: 'microshift-net.profile',
} as const;

/** Returns the UUID of the profile to which a row of a bridge or a port belongs; undefined if it belongs to none. */
export function ownerOf({ externalIds }: Pick<OvsBridge, 'externalIds'>): string | undefined {
  return externalIds[ownerKeys.networkManager] ?? externalIds[ownerKeys.own];
}

/** MAC of br-ex without a NIC, as MicroShift sets it. */
export const noUplinkMac = '0A:59:00:00:00:01';

/**
 * UUIDs of the agent's profiles, derived from their ids (RFC 9562 version 5, namespace
 * 6f1c1a0e-5d0b-4c7e-9a55-b7c0de5a1f2b). They are the same in every boot, so that DHCP and IPv6 identities that are
 * derived from them stay. They are constants, because loading a hash library takes longer than making a whole plan.
 */
const profileUuids: Readonly<Record<string, string>> = {
  'br-ex': 'ffe576ca-2ebf-58d8-864c-d6a2d3391194',
  'ovs-port-br-ex': 'f769b7b4-8b3c-5176-897a-55f4eb3978fb',
  'ovs-if-br-ex': '88758c69-274c-52ae-9ad0-9d574bb5ca6b',
  'br-ex1': '9a01303a-397d-55be-b2e7-23d44ebb900e',
  'ovs-port-br-ex1': '1c28c6f6-6faa-54ba-a438-a2e09a5ba35f',
  'ovs-if-br-ex1': '8f7b1ca0-bda1-5a00-99ff-55896586dbfa',
};

/**
 * Mask whose XOR with the UUID of a profile yields the UUID of the profile's copy, apart from the version and variant
 * bits. The result is the same in every run, and different for every profile.
 */
const copyMask = '6f1c1a0e5d0b4c7e9a55b7c0de5a1f2b';

/** Returns the UUID of the agent's copy of a profile (RFC 9562 version 8, custom). */
export function copyUuid(uuid: string): string {
  const digits = [...uuid.replaceAll('-', '').padEnd(32, '0').slice(0, 32)].map(
    (digit, index) => Number.parseInt(digit, 16) ^ Number.parseInt(copyMask[index] ?? '0', 16),
  );
  digits[12] = 8;
  digits[16] = ((digits[16] ?? 0) & 3) | 8;
  const text = digits.map((digit) => digit.toString(16)).join('');
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}

/**
 * Returns the UUID of the agent's profile with this id. If no profile of br-ex or br-ex1 has this id, the id has to be
 * that of a profile of `bridge add`. Throws a TypeError for any other id.
 */
export function profileUuid(id: string): string {
  const uuid = profileUuids[id] ?? addedUuid(id);
  if (uuid === null) throw new TypeError(`no profile of ours is called ${id}`);
  return uuid;
}

/** Functions with which a comparison finds the agent's bridges and profiles, to report those that are not desired. */
export const ownNames = {
  bridgesOf: (observation: Observation): readonly string[] => bridgesOf(observation).map((names) => names.bridge),
  bridgeOf: (profile: NmProfile, observation: Observation): string | null =>
    bridgeOfProfile(profile, observation)?.bridge ?? null,
  ownerOf,
};
