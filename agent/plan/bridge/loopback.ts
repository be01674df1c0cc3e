import { givenToLoopback } from '../../compare/on-loopback.ts';
import type { Config } from '../../model/config.ts';
import { dynamicFamilies } from '../../model/dynamic-families.ts';
import { type KernelAddress, noEntries } from '../../model/kernel-entries.ts';
import { loopbackMetric } from '../../model/limits.ts';
import { type BridgeNames, bridgesOf, gatewayBridge } from '../../model/names.ts';
import { addressesOf, type Link, type Observation } from '../../model/observation.ts';
import type { NetworkDifference, PlanNote, Step, WantedBridge } from '../../model/plan.ts';
import { fixedAddresses, numberOf, type ProfileSettings } from '../../model/profile-settings.ts';
import { uplinkInBridge } from '../../model/uplink-in-bridge.ts';
import { familyOf } from '../../net/address.ts';
import { type HostNetwork, type Uplink, withoutBridge } from '../microshift-address.ts';
import { configOnNode, type LoopbackNeeds, loopbackNeeds } from '../microshift-needs.ts';
import { adminProfile, type UplinkSource } from '../uplink/source-profile.ts';
import { stableAddresses } from './handover.ts';

/*
 * Addresses on lo. In some cases, MicroShift ignores the addresses on br-ex when it looks for the address of the node.
 * If it finds no address, or a different address each time, it restarts itself again and again. If lo has a copy of the
 * address, MicroShift finds this copy first, as plan/microshift-address.ts explains. The copy changes no route.
 */

/**
 * Returns what MicroShift needs while br-ex has the addresses that the uplink has now: addresses on lo, and possibly
 * the signpost (model/signpost.ts). On a node without MicroShift and without node.nodeIP, neither is needed.
 */
export function wantedOnLoopback(
  written: Config,
  { profiles }: WantedBridge,
  source: UplinkSource,
  observation: Observation,
): LoopbackNeeds {
  const { hasMicroShift, hasMicroShiftScript } = observation.host;
  const isAbsent = hasMicroShift !== true && hasMicroShiftScript !== true;
  if (written.cluster.nodeIp.value === null && isAbsent) return { addresses: [], signpost: false };
  const host = withoutBridges(observation);
  const config = configOnNode(written, host);
  const { bridge, bridgeInterface } = gatewayBridge;
  const settings = profiles.find(({ id }) => id === bridgeInterface)?.settings;
  const metricOf = (family: 4 | 6): number =>
    numberOf(settings, `ipv${family}`, 'route-metric') ?? gatewayBridge.routeMetric;
  const metrics = { 4: metricOf(4), 6: metricOf(6) };
  // The static addresses of the profile count even if the bridge has lost them, because the run adds them again.
  const listed = settings === undefined ? [] : fixedAddresses(settings).map(bare);
  const present = [...new Set([...bareAddresses(source.addressLink), ...listed])];
  const left = withoutSuccessor(present, settings, observation);
  const addresses = [...present, ...left.map(bare)];
  const uplink = { bridge, interface: source.link.name, addresses, metrics };
  const needs = loopbackNeeds(config.cluster, host, uplink);
  return { ...needs, addresses: [...new Set([...needs.addresses, ...left])] };
}

/**
 * Returns the agent's addresses on lo (`address/prefix`) that stay although the bridge has lost its own address of the
 * same family, at the end of a lease or an advertisement. MicroShift exits if it does not find its address. With the
 * address on lo, it still runs when the bridge has an address again. Other hosts get no answer for an address that only
 * lo has; giveLoopback() explains why.
 */
function withoutSuccessor(
  present: readonly string[],
  settings: ProfileSettings | undefined,
  observation: Observation,
): readonly string[] {
  const ended = dynamicFamilies(settings ?? {}).filter((family) => !present.some((one) => familyOf(one) === family));
  return givenToLoopback(observation).filter((entry) => ended.some((family) => familyOf(bare(entry)) === family));
}

/**
 * Returns the node as MicroShift would find it if the NICs in the agent's bridges still had the addresses of the
 * bridges. Conclusions from this view of the node are the same before and after a run.
 */
export function withoutBridges(observation: Observation): HostNetwork {
  const carried = bridgesOf(observation).flatMap((names): readonly Uplink[] => {
    const uplink = carriedBy(names, observation);
    if (uplink === null) return [];
    return [names === gatewayBridge ? { ...uplink, metrics: ownMetrics(uplink.interface, observation) } : uplink];
  });
  return carried.reduce<HostNetwork>(withoutBridge, { links: observation.links, routes: observation.routes });
}

/** NetworkManager's default metric for an Ethernet NIC (nm-device.c, nm_device_get_route_metric_default). */
const defaultMetric = 100;

/**
 * Returns the metrics that the default routes of br-ex's present uplink get after another NIC has become the uplink:
 * the present uplink then has its own profile again.
 */
function ownMetrics(uplink: string, observation: Observation): NonNullable<Uplink['metrics']> {
  const settings = adminProfile(gatewayBridge, uplink, observation)?.settings;
  const metricOf = (family: 4 | 6): number => {
    const asked = numberOf(settings, `ipv${family}`, 'route-metric') ?? -1;
    return asked >= 0 ? asked : defaultMetric;
  };
  return { 4: metricOf(4), 6: metricOf(6) };
}

/** Returns the NIC in a bridge, with the addresses that the bridge has; null if the bridge has no NIC. */
export function carriedBy(names: BridgeNames, observation: Observation): Uplink | null {
  const { bridge } = names;
  const nic = uplinkInBridge(names, observation);
  const link = observation.links.find((entry) => entry.name === bridge);
  if (nic === null || link === undefined) return null;
  return { bridge, interface: nic, addresses: bareAddresses(link), metrics: null };
}

/** Returns the node's own addresses on a link, without prefix length. */
function bareAddresses(link: Link): readonly string[] {
  return stableAddresses(link).map(bare);
}

function bare(address: string): string {
  return address.split('/')[0] ?? '';
}

/** Returns notes about the addresses that lo will get. */
export function loopbackNotes(addresses: readonly string[], { links }: Observation): readonly PlanNote[] {
  const present = addressesOf(links.find((link) => link.name === 'lo'));
  const lacking = addresses.filter((address) => !present.includes(address));
  return lacking.map((address) => ({
    level: 'info',
    message: `${address} is also added to lo: MicroShift looks for the node's address outside of br-ex, and restarts itself if it does not find it`,
  }));
}

/**
 * Returns the steps that add missing addresses to lo, and the signpost if it is missing. They come before the NIC
 * moves, so that MicroShift finds the address at any time. IPv4 addresses get scope host: the bridge answers ARP for
 * them only while it has them itself (drivers/host/kernel/arp-answers.ts). The kernel answers neighbour solicitations
 * only for addresses of the interface that receives them (Linux, net/ipv6/ndisc.c, ndisc_recv_ns).
 */
export function giveLoopback(differences: readonly NetworkDifference[]): readonly Step[] {
  const lead = signpostStep(
    differences,
    'present',
    "otherwise MicroShift takes the address that it adds to br-ex for the node's",
  );
  const missing = loopbackDifferences(differences, 'present');
  if (missing.length === 0) return lead;
  const own = { metric: loopbackMetric, noDad: true, deprecated: false };
  const scoped = (address: string): KernelAddress =>
    address.includes(':') ? { address, ...own } : { address, ...own, scope: 'host' };
  const entries = { ...none, addresses: missing.map(scoped) };
  const why =
    'MicroShift finds the node by this address where it skips br-ex, or where it finds another address on br-ex first';
  return [{ do: 'changeKernel', entries, required: false, why }, ...lead];
}

/**
 * Returns the step that makes a missing signpost (model/signpost.ts) if `wanted` is `present`, or removes a signpost
 * that MicroShift does not need if `wanted` is `absent`. Returns no step if there is nothing to do.
 */
export function signpostStep(
  differences: readonly NetworkDifference[],
  wanted: 'present' | 'absent',
  why: string,
): readonly Step[] {
  const isDifferent = differences.some((entry) => entry.kind === 'signpost' && entry.wanted === wanted);
  return isDifferent ? [{ do: 'signpost', wanted, why }] : [];
}

/** Reason of the steps that remove addresses on lo, or the signpost, because MicroShift does not need them. */
export const foundWithoutIt = 'MicroShift finds the node without it';

/** Returns the step that removes from lo the addresses that MicroShift does not need there. */
export function clearLoopback(addresses: readonly string[]): readonly Step[] {
  if (addresses.length === 0) return [];
  return [{ do: 'changeKernel', entries: none, removed: addresses, required: false, why: foundWithoutIt }];
}

/**
 * Returns the steps that remove the signpost and the agent's addresses on lo, after the NIC has its addresses again.
 */
export function leaveLoopback(observation: Observation): readonly Step[] {
  const lead =
    observation.signpost === true ? [{ do: 'signpost', wanted: 'absent', why: foundWithoutIt } as const] : [];
  return [...lead, ...clearLoopback(givenToLoopback(observation))];
}

/** Returns the addresses that lo lacks (`wanted` is `present`), or that MicroShift does not need there (`absent`). */
export function loopbackDifferences(
  differences: readonly NetworkDifference[],
  wanted: 'present' | 'absent',
): readonly string[] {
  return differences.flatMap((entry) => (entry.kind === 'loopback' && entry.wanted === wanted ? [entry.address] : []));
}

const none = noEntries('lo');
