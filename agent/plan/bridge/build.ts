import { dynamicFamilies } from '../../model/dynamic-families.ts';
import { isEmpty, type KernelEntries, noEntries } from '../../model/kernel-entries.ts';
import { detectionLimitMs } from '../../model/limits.ts';
import type { BridgeNames } from '../../model/names.ts';
import type { Observation } from '../../model/observation.ts';
import type { ProfileActivation, Step, WantedBridge, WantedProfile } from '../../model/plan.ts';
import { fixedAddresses, numberOf, textOf } from '../../model/profile-settings.ts';
import { isDefault } from '../../net/destination.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';
import { carryToBridge } from './carried-entries.ts';
import {
  handoverProfile,
  hasOnlyIpv6,
  ipv6Hold,
  overlapSettings,
  stableAddresses,
  withoutAddresses,
} from './handover.ts';
import { heldEntries, holdStep, releaseHeld } from './held-ipv6.ts';
import { ownRoutes } from './own-routes.ts';

/** Steps that take over an existing bridge, and the foreign entries of MicroShift's bridge and of the NIC. */
interface Others {
  readonly claim: readonly Step[];
  readonly present: KernelEntries;
  readonly carried: KernelEntries;
}

/**
 * Returns the steps that build a bridge around a NIC with the administrator's own profile, which may be inactive
 * (`isActive` false). The bridge comes up beside the NIC with the same addresses, then the NIC becomes a port, then the
 * NIC's own addresses are removed. The node stays reachable throughout. `claim` has the steps that take over an
 * existing bridge, and is empty if no bridge exists. `present` has the foreign entries of MicroShift's bridge, and is
 * empty for another bridge; `carried` has those of the NIC, converted to entries of the bridge.
 */
export function buildWithUplink(
  names: BridgeNames,
  wanted: WantedBridge,
  source: UplinkSource,
  isActive: boolean,
  observation: Observation,
  { claim, present, carried }: Others,
): readonly Step[] {
  const uplink = source.link.name;
  const final = profileOf(wanted, names.bridgeInterface);
  const addresses = stableAddresses(source.addressLink);
  const hasAddresses = addresses.length > 0;
  const initial = hasAddresses ? handoverProfile(final, source.addressLink, observation) : withoutAddresses(final);
  const hold = hasAddresses ? ipv6Hold(final, source.addressLink, observation) : null;
  const needsPort = hold !== null && hasOnlyIpv6(initial.settings);
  const { id, uuid } = source;
  return [
    ...(source.externalCopy === null ? [] : takeOver(source.externalCopy, uplink)),
    {
      do: 'writeProfiles',
      profiles: wanted.profiles.map((profile) => (profile.uuid === final.uuid ? initial : profile)),
      why: `${names.bridge} and its port need profiles; in memory, so that a reboot finds only the admin's own`,
    },
    ...claim,
    activate(
      profileOf(wanted, names.bridgePort),
      `brings up ${names.bridge}; NetworkManager would activate it twice if its interface came first`,
    ),
    activateInterface(
      names,
      wanted,
      hasAddresses
        ? `${names.bridge} gets the addresses of ${uplink} as well; its routes have higher metrics, so those of ${uplink} stay preferred`
        : `${names.bridge} gets its internal interface; ${uplink} has no address to hand over`,
      needsPort ? { held: heldEntries(names, hold), needsPort } : {},
    ),
    ...(hold === null || needsPort ? [] : [holdStep(names, hold)]),
    ...waitSteps(names, addresses, 'an address that is still being checked for duplicates does not answer'),
    ...(addresses.some((address) => !address.includes(':')) ? listBehindOwn(present) : []),
    attachStep(
      names,
      wanted,
      source,
      `${uplink} starts to carry ${names.bridge} while its own addresses still answer, so nothing is lost in between`,
    ),
    ...carryToBridge(uplink, carried),
    {
      do: 'clearUplink',
      interface: uplink,
      profile: isActive || source.externalCopy !== null ? null : { id, uuid },
      why: `${names.bridge} has the IP settings of ${id} from now on; the link settings stay on ${uplink}, and the profile is unchanged`,
    },
    ...settle(names, final, source, observation),
    // The step that removes the held IPv6 routes also removes routes that the kernel has added from a router
    // advertisement. It comes last, because NetworkManager may let the kernel accept an advertisement whenever it
    // configures the bridge.
    ...(hold === null ? [] : releaseHeld(names, final, hold)),
  ];
}

/** Returns the step that adds the NIC to the bridge. */
export function attachStep(names: BridgeNames, wanted: WantedBridge, { link }: UplinkSource, why: string): Step {
  const userspace = isUserspace(names, wanted) ? ({ userspace: true } as const) : {};
  return { do: 'attachUplink', bridge: names.bridge, interface: link.name, ...userspace, why };
}

/** Returns the step that activates the profile of a bridge's internal interface. */
export function activateInterface(
  names: BridgeNames,
  wanted: WantedBridge,
  why: string,
  start: Pick<ProfileActivation, 'held' | 'needsPort' | 'undetected'> = {},
): Step {
  const { id, uuid } = profileOf(wanted, names.bridgeInterface);
  const tap = isUserspace(names, wanted) ? { tap: names.bridge } : {};
  return { do: 'activate', profiles: [{ id, uuid, interface: null, ...tap, ...start }], why };
}

/** Returns true if a bridge uses Open vSwitch's userspace data path. */
function isUserspace(names: BridgeNames, wanted: WantedBridge): boolean {
  return textOf(profileOf(wanted, names.bridge).settings, 'ovs-bridge', 'datapath-type') === 'netdev';
}

/** Returns the steps that build a bridge without a NIC. */
export function buildWithoutUplink(
  names: BridgeNames,
  wanted: WantedBridge,
  claim: readonly Step[] = [],
): readonly Step[] {
  const write = `${names.bridge} needs profiles; in memory, so that a reboot finds only the admin's own`;
  return [
    { do: 'writeProfiles', profiles: wanted.profiles, why: write },
    ...claim,
    activate(profileOf(wanted, names.bridgePort), `brings up ${names.bridge}`),
    activateInterface(names, wanted, `${names.bridge} gets its internal interface; no NIC is touched`),
  ];
}

/**
 * Returns the steps that activate a copy of the profile that NetworkManager generated for a NIC which another program
 * configured.
 */
function takeOver(copy: WantedProfile, uplink: string): readonly Step[] {
  const why = `the profile that NetworkManager shows for ${uplink} is generated and would not last`;
  return [
    { do: 'writeProfiles', profiles: [copy], why },
    activate(copy, `NetworkManager can change ${uplink} in place once it configures it`, uplink),
  ];
}

/**
 * Returns the steps that give the bridge's internal interface its final settings; dynamic addresses stay throughout.
 */
function settle(
  names: BridgeNames,
  final: WantedProfile,
  source: UplinkSource,
  observation: Observation,
): readonly Step[] {
  const { id, uuid } = final;
  const update: Step = { do: 'writeProfiles', profiles: [final], why: `${names.bridge} gets the admin's own settings` };
  const inPlace = { do: 'reapply', id, uuid } as const;
  const finish: Step = {
    ...inPlace,
    settings: null,
    why: 'applies the final settings in place, so that the link stays up',
  };
  const added = addressesBeside(names, final, source);
  if (dynamicFamilies(final.settings).length === 0) return [update, finish, ...added];
  const hasAddresses = stableAddresses(source.addressLink).length > 0;
  const hasIpv6Default = ownRoutes(observation).some(
    (route) => route.family === 6 && isDefault(route.destination) && route.device === source.addressLink.name,
  );
  // With DHCP for IPv4, the plan waits for a lease. It does not wait if the NIC has only IPv6 addresses, because no
  // DHCP server has then answered the NIC. A NIC without any address has not been configured yet, so its lease is
  // awaited.
  const lease =
    dynamicFamilies(final.settings).includes(4) &&
    (!hasAddresses || source.addressLink.addresses.some((entry) => entry.family === 4));
  const overlap: Step = {
    ...inPlace,
    settings: overlapSettings(final, source.addressLink, observation),
    why: 'requests the lease while the old address still answers',
  };
  const wait = dynamicWait(names, final, lease, hasIpv6Default);
  return lease && hasAddresses ? [update, overlap, ...wait, finish, ...added] : [update, finish, ...wait, ...added];
}

/**
 * Returns the steps that wait for the static addresses of the profile that the NIC did not have. These addresses are
 * checked for duplicates before they can be used.
 */
function addressesBeside(names: BridgeNames, final: WantedProfile, source: UplinkSource): readonly Step[] {
  const present = stableAddresses(source.addressLink);
  const addresses = fixedAddresses(final.settings).filter((address) => !present.includes(address));
  const why = 'the NIC did not have them, so they are checked for duplicates before they answer';
  return waitSteps(names, addresses, why);
}

/** Returns the step that waits until a bridge can use all of `addresses`; no step if the list is empty. */
export function waitSteps({ bridge }: BridgeNames, addresses: readonly string[], why: string): readonly Step[] {
  if (addresses.length === 0) return [];
  return [{ do: 'waitAddresses', interface: bridge, addresses, limitMs: detectionLimitMs, why }];
}

/**
 * Returns the step that waits for dynamic addresses; an empty list if there is nothing to wait for. The step waits for
 * an advertised IPv6 default route only if the NIC had one, because not every LAN has a router.
 */
function dynamicWait(
  names: BridgeNames,
  final: WantedProfile,
  lease: boolean,
  expectsIpv6Default: boolean,
): readonly Step[] {
  const ipv6DefaultMetric =
    dynamicFamilies(final.settings).includes(6) && expectsIpv6Default
      ? (numberOf(final.settings, 'ipv6', 'route-metric') ?? null)
      : null;
  if (!lease && ipv6DefaultMetric === null) return [];
  const { id, uuid } = final;
  const why = 'the same MAC gets the same lease';
  return [{ do: 'waitDynamic', id, uuid, interface: names.bridge, lease, ipv6DefaultMetric, heldMetric: null, why }];
}

/** Returns the step that activates a profile. `device` is null if NetworkManager itself finds or creates the device. */
export function activate({ id, uuid }: WantedProfile, why: string, device: string | null = null): Step {
  return { do: 'activate', profiles: [{ id, uuid, interface: device }], why };
}

/** Returns the steps that add foreign entries to a bridge's interface again, after NetworkManager has configured it. */
export function putBack(entries: KernelEntries): readonly Step[] {
  const { interface: name } = entries;
  if (isEmpty(entries)) return [];
  const why = `the entries of other programs on ${name} are lost with its interface, and their programs do not add them again`;
  return [{ do: 'changeKernel', entries, required: false, why }];
}

/**
 * Returns the step that lists the IPv4 addresses of other programs after the node's own, while the NIC still has its
 * addresses; an empty list if other programs have no IPv4 address on the bridge. As soon as the NIC has lost its
 * addresses, MicroShift uses the first address of the bridge as the node's address (k8s.io/apimachinery,
 * pkg/util/net/interface.go, chooseHostInterface), and restarts if this address is another one than before. The kernel
 * removes routes together with their source address (Linux, net/ipv4/fib_frontend.c, fib_del_ifaddr), so the step also
 * adds the routes with these sources.
 */
function listBehindOwn({ interface: name, addresses, routes }: KernelEntries): readonly Step[] {
  const ipv4 = addresses.filter(({ address }) => !address.includes(':'));
  if (ipv4.length === 0) return [];
  const sources = ipv4.map(({ address }) => address.split('/')[0]);
  const given = routes.filter(({ source }) => source !== null && sources.includes(source));
  const entries = { ...noEntries(name), addresses: ipv4, routes: given };
  const why = `MicroShift uses the first IPv4 address of ${name} as the node's address, so the addresses of other programs come after the node's own`;
  return [{ do: 'changeKernel', entries, required: false, why }];
}

/**
 * Returns the desired profile with this id, which is one of a bridge's profiles. Throws a TypeError if the bridge has
 * none with this id.
 */
export function profileOf(wanted: WantedBridge, id: string): WantedProfile {
  const profile = wanted.profiles.find((entry) => entry.id === id);
  if (profile === undefined) throw new TypeError(`${wanted.bridge} has no profile ${id}`);
  return profile;
}
