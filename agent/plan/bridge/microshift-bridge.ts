import { nicsIn } from '../../model/bridge-devices.ts';
import { entriesOf, type KernelEntries, noEntries } from '../../model/kernel-entries.ts';
import type { BridgeRow, LeftBridge } from '../../model/left-bridge.ts';
import type { KnownLinks } from '../../model/link-kinds.ts';
import { type BridgeNames, gatewayBridge, noUplinkMac, ownerKeys, ownerOf } from '../../model/names.ts';
import { addressesOf, type Observation, type OvsBridge, type OvsPort } from '../../model/observation.ts';
import type { PlanNote, WantedBridge } from '../../model/plan.ts';
import { stringsOf, textOf } from '../../model/profile-settings.ts';
import { uplinkInBridge } from '../../model/uplink-in-bridge.ts';
import { profileOf } from './build.ts';

/*
 * MicroShift's own br-ex. MicroShift 4.14 and later makes a br-ex without a NIC (openshift/microshift,
 * packaging/systemd/configure-ovs.sh), adds its addresses to it, and lets ovn-kubernetes add ports and flows. The NIC
 * moves into that bridge, and leaves it after `disable`, `undo` or a rollback; the bridge stays.
 */

/** MAC that configure-ovs.sh sets on its bridge, in lower case. */
const hwaddr = noUplinkMac.toLowerCase();
/** External ids of a bridge that belong to the agent or to NetworkManager. */
const ownIds = ['bridge-uplink', ...Object.values(ownerKeys)];

/**
 * Facts that decide which bridge remains for MicroShift when the agent's br-ex is removed. They are known at boot,
 * before NetworkManager configures the node.
 */
interface KnownAtBoot {
  readonly host: Pick<Observation['host'], 'hasMicroShiftScript'>;
  readonly ovs: Observation['ovs'];
  readonly foreign?: readonly KernelEntries[] | undefined;
}

/** Returns true for a bridge in the state in which MicroShift's script made it: without a profile and without a NIC. */
export function isOfMicroShift(row: OvsBridge, known: KnownLinks): boolean {
  return isMarkedByMicroShift(row) && ownerOf(row) === undefined && nicsIn(row, known).length === 0;
}

/** Returns true for a bridge whose row has the external id and the MAC that MicroShift's script sets. */
export function isMarkedByMicroShift({ name, externalIds, otherConfig }: OvsBridge): boolean {
  return externalIds['bridge-id'] === name && otherConfig.hwaddr?.toLowerCase() === hwaddr;
}

/** Returns the bridge of this name if it is MicroShift's own; null otherwise. */
export function microshiftBridge(names: BridgeNames, observation: Observation): LeftBridge | null {
  const row = observation.ovs.bridges.find((bridge) => bridge.name === names.bridge);
  if (row === undefined || !isOfMicroShift(row, observation)) return null;
  const { name, externalIds, otherConfig } = row;
  return {
    bridge: name,
    ...datapathOf(row),
    externalIds,
    otherConfig,
    up: isUp(name, observation),
    entries: entriesOf(name, observation),
  };
}

/**
 * Returns the bridge that remains when the agent's br-ex is removed: br-ex as MicroShift's script makes it, with the
 * external ids of other programs. Null for another bridge than br-ex, if the script is not installed, or if br-ex does
 * not exist.
 */
export function bridgeForMicroShift(names: BridgeNames, { host, ovs, foreign }: KnownAtBoot): LeftBridge | null {
  const row = ovs.bridges.find((bridge) => bridge.name === names.bridge);
  if (host.hasMicroShiftScript !== true || row === undefined || row.name !== gatewayBridge.bridge) return null;
  const { name } = row;
  return {
    bridge: name,
    ...datapathOf(row),
    externalIds: { ...idsOfOthers(row), 'bridge-id': name },
    otherConfig: { ...row.otherConfig, hwaddr },
    up: entriesOf(name, { foreign }).addresses.length > 0,
    entries: entriesOf(name, { foreign }),
  };
}

/**
 * Returns the agent's bridge without the agent's external ids, for a rebuild in which the ports and flows of other
 * programs stay. Null if other programs have no ports in the bridge, or if the bridge cannot stay.
 */
export function bareBridge(names: BridgeNames, wanted: WantedBridge, observation: Observation): LeftBridge | null {
  const row = observation.ovs.bridges.find((bridge) => bridge.name === names.bridge);
  const others = othersPorts(names, observation);
  if (row === undefined || others.length === 0) return null;
  const type = textOf(profileOf(wanted, names.bridge).settings, 'ovs-bridge', 'datapath-type') ?? 'system';
  const isSameKind = (row.datapathType === '' ? 'system' : row.datapathType) === type;
  // An older configure-ovs.sh made ports through profiles of NetworkManager. A bridge with such a port does not stay.
  const isFormer = row.ports.some((port) => port.name !== row.name && ownerOf(port) !== undefined);
  // If another program has added a second NIC to the bridge, the bridge does not stay. A bridge that stays keeps its
  // ports, but the second NIC has to leave the bridge.
  const hasNic = nicsIn({ ...row, ports: others }, observation).length > 0;
  if (!isSameKind || isFormer || hasNic) return null;
  const { name, otherConfig } = row;
  return { bridge: name, externalIds: idsOfOthers(row), otherConfig, up: false, entries: noEntries(name) };
}

/**
 * Returns the data path of a bridge as a part of the description of a bridge that remains for MicroShift. Returns an
 * empty object for the data path of the kernel, for which an empty datapath_type also stands (ovs-vswitchd.conf.db(5)).
 */
function datapathOf({ datapathType }: OvsBridge): Pick<LeftBridge, 'datapathType'> {
  return ['', 'system'].includes(datapathType) ? {} : { datapathType };
}

/**
 * Returns the ports in a bridge that belong to no profile of NetworkManager, except the bridge's own port and the
 * uplink.
 */
export function othersPorts(names: BridgeNames, observation: Observation): readonly OvsPort[] {
  const row = observation.ovs.bridges.find((bridge) => bridge.name === names.bridge);
  const uplink = uplinkInBridge(names, observation);
  return (row?.ports ?? []).filter(
    (port) => port.name !== names.bridge && port.name !== uplink && ownerOf(port) === undefined,
  );
}

/** Returns true if a bridge is not in the state in which it has to remain for MicroShift. */
export function differsFromLeft(wanted: LeftBridge, { ovs, links }: Pick<Observation, 'ovs' | 'links'>): boolean {
  const row = ovs.bridges.find((bridge) => bridge.name === wanted.bridge);
  const link = links.find((entry) => entry.name === wanted.bridge);
  if (row === undefined || link === undefined || !isOfMicroShift(row, { links })) return true;
  const present = addressesOf(link);
  return (
    !areSame(row.externalIds, wanted.externalIds) ||
    !areSame(row.otherConfig, wanted.otherConfig) ||
    wanted.entries.addresses.some(({ address }) => !present.includes(address))
  );
}

/**
 * Returns the keys in external_ids and other_config that make the row of MicroShift's bridge a row of the agent: those
 * that NetworkManager would write for these profiles.
 */
export function rowOf(names: BridgeNames, wanted: WantedBridge): BridgeRow {
  const { settings } = profileOf(wanted, names.bridge);
  return { externalIds: stringsOf(settings, 'ovs-external-ids', 'data'), otherConfig: { hwaddr: wanted.mac } };
}

/**
 * Returns notes about the takeover of MicroShift's bridge: the takeover itself, programs that do not notice it, and
 * addresses that cannot stay.
 */
export function adoptionNotes(
  names: BridgeNames,
  wanted: WantedBridge | undefined,
  observation: Observation,
): readonly PlanNote[] {
  const row = observation.ovs.bridges.find((bridge) => bridge.name === names.bridge);
  if (wanted === undefined || row === undefined || !isOfMicroShift(row, observation)) return [];
  const taken = `MicroShift's own ${names.bridge} is taken over with all its ports; \`microshift-net disable\` returns it`;
  const uplink = wanted.uplink?.interface;
  const runs = row.ports.some((port) => port.interfaces.some((entry) => entry.type === 'patch'));
  const lost = uplink === undefined ? [] : lostIpv6Addresses(names, wanted, observation);
  return [
    { level: 'info', message: taken },
    ...warningIf(
      uplink !== undefined && runs,
      `ovn-kubernetes looks for the uplink of ${names.bridge} only when it starts: delete its pods in openshift-ovn-kubernetes afterwards, to let pods out through ${uplink}`,
    ),
    ...warningIf(
      lost.length > 0,
      `the profile of ${uplink} disables IPv6, so ${names.bridge} loses ${lost.join(', ')}: set ipv6.method in it to link-local or auto first, if pods use IPv6`,
    ),
  ];
}

/**
 * Returns the foreign IPv6 addresses on the bridge that the kernel removes because the bridge's own profile disables
 * IPv6 (NetworkManager, ipv6.method=disabled).
 */
function lostIpv6Addresses(names: BridgeNames, wanted: WantedBridge, observation: Observation): readonly string[] {
  if (textOf(profileOf(wanted, names.bridgeInterface).settings, 'ipv6', 'method') !== 'disabled') return [];
  const addresses = entriesOf(names.bridge, observation).addresses.map(({ address }) => address);
  return addresses.filter((address) => address.includes(':'));
}

function warningIf(holds: boolean, message: string): readonly PlanNote[] {
  return holds ? [{ level: 'warning', message }] : [];
}

function idsOfOthers({ externalIds }: OvsBridge): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(externalIds).filter(([key]) => !ownIds.includes(key)));
}

function isUp(name: string, { links }: Observation): boolean {
  return links.find((link) => link.name === name)?.up === true;
}

function areSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => one[key] === other[key]);
}
