import type { Observation } from '../model/observation.ts';
import type { ProfileActivation, Step, WantedBridge, WantedProfile } from '../model/plan.ts';
import { fixedAddresses } from '../verify/compare.ts';
import {
  carriedAddresses,
  dynamicFamilies,
  handoverProfile,
  ipv6Hold,
  losingMetric,
  overlapSettings,
} from './handover.ts';
import type { BridgeNames } from './names.ts';
import { portActivations } from './ports.ts';
import type { UplinkSource } from './profiles.ts';
import { isDefault } from './route-metric.ts';
import { usesLacp } from './settling.ts';

/** Steps that build a bridge around a NIC that now runs the admin's own profile. */
export function buildWithUplink(
  names: BridgeNames,
  wanted: WantedBridge,
  source: UplinkSource,
  observation: Observation,
): readonly Step[] {
  const uplink = source.link.name;
  const final = profileOf(wanted, names.bridgeInterface);
  const addresses = carriedAddresses(source.addressLink);
  const handsOver = addresses.length > 0;
  const initial = handsOver ? handoverProfile(final, source.addressLink, observation) : final;
  const present = observation.networkManager.profiles.some((profile) => profile.uuid === source.kept?.uuid);
  const profiles = wanted.profiles
    .filter((profile) => !present || profile.uuid !== source.kept?.uuid)
    .map((profile) => proving(profile.uuid === final.uuid ? initial : profile));
  const hold = ipv6Hold(final, source.addressLink, observation);
  const uplinkPort = profileOf(wanted, names.uplinkPort);
  const uplinkInterface = profileOf(wanted, names.uplinkInterface);
  const copies = portActivations(
    wanted.profiles.filter((profile) => profile.settings.connection?.master?.[1] === uplinkInterface.uuid),
    observation,
  );
  const ports = copies.length === 0 ? {} : { ports: copies };
  const lacp: Step[] = usesLacp(source.settings)
    ? [
        {
          do: 'waitLacp',
          interface: uplink,
          why: `${uplink} and the switch have agreed before its ports go and come back`,
        },
      ]
    : [];
  const attach: Step = {
    do: 'attachUplink',
    bridge: names.bridge,
    interface: uplink,
    portProfile: uplinkPort.uuid,
    interfaceProfile: uplinkInterface.uuid,
    ...ports,
    why: `${uplink} starts to carry ${names.bridge} while its own addresses still answer, so nothing is lost in between`,
  };
  const moved: Step = {
    do: 'activate',
    profiles: [activation(uplinkInterface, uplink)],
    ...ports,
    why: `NetworkManager takes ${uplink} as a port of ${names.bridge} and removes its addresses`,
  };
  const bridgeUp: Step[] = [
    {
      do: 'addProfiles',
      profiles,
      why: `${names.bridge} and its ports need profiles; in memory, so that a reboot finds only the admin's own`,
    },
    {
      do: 'activate',
      profiles: [activation(profileOf(wanted, names.bridgePort), null)],
      why: `brings up ${names.bridge}; before both interface chains, which would each try to and one would fail`,
    },
  ];
  if (!handsOver) {
    return [
      ...bridgeUp,
      { do: 'activate', profiles: [activation(uplinkPort, null)], why: `makes a port for ${uplink}` },
      ...lacp,
      moved,
      {
        do: 'activate',
        profiles: [activation(final, null)],
        why: `${uplink} has no address to hand over, so ${names.bridge} is configured from the start`,
      },
      ...dynamicWait(names, final, dynamicFamilies(final.settings).includes(4), false),
    ];
  }
  return [
    ...bridgeUp,
    {
      do: 'activate',
      profiles: [activation(final, null), activation(uplinkPort, null)],
      why: `${names.bridge} gets the addresses of ${uplink} behind metrics that lose, ready to take over`,
    },
    ...(hold === null ? [] : [holdStep(names, hold)]),
    {
      do: 'waitBindable',
      interface: names.bridge,
      addresses,
      why: 'an address that is still being checked for duplicates does not answer',
    },
    ...lacp,
    attach,
    moved,
    ...settle(names, final, source, observation),
    ...(hold === null || hold.gateways.length === 0 ? [] : [releaseStep(names, hold.gateways)]),
  ];
}

/** Steps that build a bridge without a NIC. */
export function buildWithoutUplink(names: BridgeNames, wanted: WantedBridge): readonly Step[] {
  const [port, device] = [profileOf(wanted, names.bridgePort), profileOf(wanted, names.bridgeInterface)];
  return [
    {
      do: 'addProfiles',
      profiles: wanted.profiles.map(proving),
      why: `${names.bridge} needs profiles; in memory, so that a reboot finds only the admin's own`,
    },
    { do: 'activate', profiles: [activation(port, null)], why: `brings up ${names.bridge}` },
    {
      do: 'activate',
      profiles: [activation(device, null)],
      why: `makes the interface ${names.bridge}; no NIC is touched`,
    },
  ];
}

/** The last step of every build: from now on the profiles connect by themselves. */
export function commitProfiles(profiles: readonly WantedProfile[], persist: boolean): Step {
  return {
    do: 'commitProfiles',
    profiles,
    storage: persist ? 'disk' : 'memory',
    why: persist
      ? 'the proven profiles go to disk, so that NetworkManager brings the bridge up by itself at boot'
      : 'the proven profiles may connect by themselves, so that the bridge comes back after a lost link',
  };
}

/** Steps that bring the bridge's own interface to its final settings, dynamic ones without a gap. */
function settle(
  names: BridgeNames,
  final: WantedProfile,
  source: UplinkSource,
  observation: Observation,
): readonly Step[] {
  const { id, uuid } = final;
  const update: Step = {
    do: 'updateProfiles',
    profiles: [proving(final)],
    storage: 'memory',
    why: `${names.bridge} gets the admin's own settings`,
  };
  const finish: Step = { do: 'reapply', id, uuid, settings: null, why: 'in place, so that the link stays up' };
  const added = addressesBeside(names, final, source);
  if (dynamicFamilies(final.settings).length === 0) return [update, finish, ...added];
  const hasIpv6Default = observation.routes.some(
    (route) => route.family === 6 && isDefault(route.destination) && route.device === source.addressLink.name,
  );
  // On a LAN without DHCP none comes, and the NIC did without.
  const lease =
    dynamicFamilies(final.settings).includes(4) && source.addressLink.addresses.some((entry) => entry.family === 4);
  const overlap: Step = {
    do: 'reapply',
    id,
    uuid,
    settings: overlapSettings(final, source.addressLink, observation),
    why: 'asks for the lease while the old address still answers',
  };
  const wait = dynamicWait(names, final, lease, hasIpv6Default);
  return lease ? [update, overlap, ...wait, finish, ...added] : [update, finish, ...wait, ...added];
}

/** Addresses of the profile that the NIC did not have: they are checked for duplicates first. */
function addressesBeside(names: BridgeNames, final: WantedProfile, source: UplinkSource): readonly Step[] {
  const present = carriedAddresses(source.addressLink);
  const addresses = fixedAddresses(final.settings).filter((address) => !present.includes(address));
  const why = 'the NIC did not have them, so they are checked for duplicates before they answer';
  return addresses.length === 0 ? [] : [{ do: 'waitBindable', interface: names.bridge, addresses, why }];
}

function holdStep(
  names: BridgeNames,
  hold: { readonly addresses: readonly string[]; readonly gateways: readonly string[] },
): Step {
  return {
    do: 'holdIpv6',
    interface: names.bridge,
    addresses: hold.addresses,
    gateways: hold.gateways,
    metric: losingMetric,
    why: `${names.bridge} answers for the IPv6 addresses until a router advertisement has given it the same ones`,
  };
}

function releaseStep(names: BridgeNames, gateways: readonly string[]): Step {
  const why = 'the advertised default route has taken over';
  return { do: 'releaseIpv6', interface: names.bridge, gateways, metric: losingMetric, why };
}

/** An advertised IPv6 default route is waited for only where there was one: not every LAN has a router. */
function dynamicWait(
  names: BridgeNames,
  final: WantedProfile,
  lease: boolean,
  expectsIpv6Default: boolean,
): readonly Step[] {
  const ipv6DefaultMetric =
    dynamicFamilies(final.settings).includes(6) && expectsIpv6Default
      ? Number(final.settings.ipv6?.['route-metric']?.[1])
      : null;
  if (!lease && ipv6DefaultMetric === null) return [];
  const { id, uuid } = final;
  return [
    {
      do: 'waitDynamic',
      id,
      uuid,
      interface: names.bridge,
      lease,
      ipv6DefaultMetric,
      why: 'the same MAC gets the same lease',
    },
  ];
}

/** A profile as it is until the run is proven: it does not connect by itself, so that a restart of NetworkManager starts nothing. */
export function proving(profile: WantedProfile): WantedProfile {
  const connection = { ...profile.settings.connection, autoconnect: ['b', false] as const };
  return { ...profile, settings: { ...profile.settings, connection } };
}

function activation(profile: WantedProfile, interfaceName: string | null): ProfileActivation {
  return { id: profile.id, uuid: profile.uuid, interface: interfaceName };
}

function profileOf(wanted: WantedBridge, id: string): WantedProfile {
  const profile = wanted.profiles.find((entry) => entry.id === id);
  if (profile === undefined) throw new TypeError(`${wanted.bridge} has no profile ${id}`);
  return profile;
}
