import type { Link, NmProfile, Observation, Route } from '../model/observation.ts';
import type { ProfileActivation, Step } from '../model/plan.ts';
import type { ProfileSettings, SettingValue } from '../model/settings.ts';
import { isLinkLocal6 } from '../net/address.ts';
import { dynamicFamilies } from './handover.ts';
import { keptAddresses } from './kept-addresses.ts';
import { type BridgeNames, isPortCopy, ownerKeys, ownProfileIds, profileIds, sourceOf } from './names.ts';
import { isBorrowed, ownerOf, reclaim } from './ownership.ts';
import { returningPorts } from './ports.ts';
import { isDefault } from './route-metric.ts';
import { activeProfile } from './source-profile.ts';

/** What is there of a bridge, as far as giving its NIC back is concerned. */
interface Remains {
  readonly ours: readonly NmProfile[];
  readonly uplink: string | null;
  readonly admin: NmProfile | undefined;
  readonly bridgeLink: Link | undefined;
}

/**
 * Steps that take a bridge of ours apart and give its NIC back to the admin's own profile, from any state: a complete bridge, or
 * what a run that died left. Empty when there is nothing of ours.
 */
export function giveBack(names: BridgeNames, observation: Observation): readonly Step[] {
  const { profiles } = observation.networkManager;
  const remains = remainsOf(names, observation);
  const { ours, uplink, admin, bridgeLink } = remains;
  const addresses = bridgeLink === undefined ? [] : keptAddresses(bridgeLink, admin?.settings ?? null);
  const row = observation.ovs.bridges.find((bridge) => bridge.name === names.bridge);
  const steps: Step[] = row !== undefined && isBorrowed(row) ? [reclaim(names)] : [];
  let after: readonly Step[] = [];

  if (admin !== undefined && uplink !== null && activeProfile(uplink, observation)?.uuid !== admin.uuid) {
    const ports = returningPorts(names, observation);
    const back = returnSteps(names, remains, ports, observation);
    steps.push(...(back?.before ?? []), {
      do: 'activate',
      profiles: [{ id: admin.id, uuid: admin.uuid, interface: uplink }],
      ...(ports.length === 0 ? {} : { ports }),
      why:
        back === null
          ? `${uplink} leaves ${names.bridge} and runs the profile ${admin.id} again`
          : `${uplink} is configured by the profile ${admin.id} while its addresses answer already`,
    });
    steps.push(...(back?.wait ?? []));
    after = back?.after ?? [];
  }
  if (ours.length > 0) {
    steps.push({
      do: 'deleteProfiles',
      profiles: ours.map(({ id, uuid }) => ({ id, uuid })),
      why: `nothing of ${names.bridge} stays behind`,
    });
  }
  steps.push(...after);
  const owner = row === undefined ? undefined : ownerOf(row);
  // A bridge without an owner was made by hand, one with another owner is another tool's: neither is ours to remove. In one that was
  // borrowed there may be a NIC that NetworkManager does not know to be there.
  if (
    row !== undefined &&
    owner !== undefined &&
    (isBorrowed(row) || !profiles.some((entry) => entry.uuid === owner))
  ) {
    steps.push({
      do: 'removeBridges',
      bridges: [names.bridge],
      why: `the bridge row of ${names.bridge} belongs to no profile any more`,
    });
  }
  if (uplink !== null && addresses.length > 0 && steps.length > 0) {
    steps.push({ do: 'waitAddresses', interface: uplink, addresses, why: `the node is reachable on ${uplink} again` });
  }
  return steps;
}

/** The handover backwards; null where the bridge does not carry the node's addresses through this NIC now. */
function returnSteps(
  names: BridgeNames,
  { ours, uplink, admin, bridgeLink }: Remains,
  ports: readonly ProfileActivation[],
  observation: Observation,
): { before: readonly Step[]; wait: readonly Step[]; after: readonly Step[] } | null {
  const row = observation.ovs.bridges.find((bridge) => bridge.name === names.bridge);
  const bridgeProfile = ours.find((profile) => row !== undefined && profile.uuid === ownerOf(row));
  const isPort = row?.ports.some((port) => port.interfaces.some((entry) => entry.name === uplink)) ?? false;
  if (uplink === null || admin === undefined || bridgeLink === undefined) return null;
  const addresses = keptAddresses(bridgeLink, admin.settings);
  if (bridgeProfile === undefined || !isPort || addresses.length === 0) return null;
  const observed = observation.routes.filter(
    (route) => route.device === names.bridge && hasFamily(addresses, route.family) && !isLinkLocal6(route.destination),
  );
  const routes = observed.map(({ destination, gateway }) => ({ destination, gateway }));
  const metric = winningMetric(observed);
  const defaults = routes.map((route) => route.destination).filter(isDefault);
  const merges = sharesTraffic(admin.settings);
  const ownRoutes: readonly Step[] =
    defaults.length === 0
      ? []
      : [
          {
            do: 'waitRoutes',
            interface: uplink,
            destinations: [...new Set(defaults)],
            heldMetric: metric,
            why: 'the held default route goes only when there is another one',
          },
        ];
  const lease = dynamicFamilies(admin.settings).includes(4) && hasFamily(addresses, 4);
  return {
    before: [
      {
        do: 'returnUplink',
        bridge: names.bridge,
        bridgeProfile: bridgeProfile.uuid,
        markKey: ownerKeys.borrowed,
        interface: uplink,
        mac: bridgeLink.mac,
        profile: { id: admin.id, uuid: admin.uuid },
        ...(ports.length === 0 ? {} : { ports }),
        addresses,
        routes,
        metric,
        why: `${uplink} leaves ${names.bridge} with the addresses and routes of the node, so nothing is lost in between`,
      },
    ],
    wait: [...(lease ? [leaseOf(admin, uplink)] : []), ...(merges ? [] : ownRoutes)],
    after: [
      ...(merges ? [addAgain(admin, uplink), ...ownRoutes] : []),
      { do: 'releaseRoutes', interface: uplink, routes, metric, why: `${uplink} has routes of its own` },
    ],
  };
}

/**
 * True for a profile with routes that share their traffic (`weight`). NetworkManager makes one multipath route of those of one metric, of all
 * interfaces together, and the kernel drops the whole of it with any of these interfaces.
 */
function sharesTraffic({ ipv4 }: ProfileSettings): boolean {
  const routes = (ipv4?.['route-data']?.[1] ?? []) as readonly Record<string, SettingValue>[];
  return routes.some((route) => Number(route.weight?.[1] ?? 0) > 0);
}

function addAgain({ id, uuid }: NmProfile, uplink: string): Step {
  const why = `a multipath route that ${uplink} had in common with the bridge went with the bridge`;
  return { do: 'reapply', id, uuid, settings: null, why };
}

function leaseOf({ id, uuid }: NmProfile, uplink: string): Step {
  const why = 'the same MAC gets the same lease';
  return { do: 'waitDynamic', id, uuid, interface: uplink, lease: true, ipv6DefaultMetric: null, why };
}

/** Below every metric of the bridge, so that the NIC's routes win while both have them. */
function winningMetric(routes: readonly Route[]): number {
  return Math.max(1, Math.min(...routes.map((route) => route.metric)) - 1);
}

function hasFamily(addresses: readonly string[], family: 4 | 6): boolean {
  return addresses.some((address) => address.includes(':') === (family === 6));
}

function remainsOf(names: BridgeNames, observation: Observation): Remains {
  const ids = new Set(profileIds(names));
  const ours = observation.networkManager.profiles.filter(
    (profile) => ids.has(profile.id) || isPortCopy(names, profile),
  );
  const uplink = formerUplink(names, ours);
  return {
    ours,
    uplink,
    admin: uplink === null ? undefined : adminProfile(ours, uplink, observation),
    bridgeLink: observation.links.find((link) => link.name === names.bridge),
  };
}

/** Interface our uplink profile is for. */
function formerUplink(names: BridgeNames, ours: readonly NmProfile[]): string | null {
  const profile =
    ours.find((entry) => entry.id === names.uplinkInterface) ?? ours.find((entry) => entry.id === names.uplinkPort);
  const name = profile?.settings.connection?.['interface-name']?.[1];
  return typeof name === 'string' ? name : null;
}

/** The profile ours were made from; failing that, the one that is bound to the interface. */
function adminProfile(ours: readonly NmProfile[], uplink: string, observation: Observation): NmProfile | undefined {
  const { profiles } = observation.networkManager;
  const own = new Set(ours.map((profile) => profile.uuid));
  const origins = ours.filter((profile) => ownProfileIds.has(profile.id)).map(sourceOf);
  return (
    profiles.find((profile) => origins.includes(profile.uuid)) ??
    profiles.find(
      (profile) => !own.has(profile.uuid) && profile.settings.connection?.['interface-name']?.[1] === uplink,
    )
  );
}
