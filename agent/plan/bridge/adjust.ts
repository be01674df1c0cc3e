import { fixedAddresses } from '../../compare/bridges.ts';
import { detectionLimitMs } from '../../model/limits.ts';
import type { Observation } from '../../model/observation.ts';
import type { NetworkDifference, Step, WantedBridge, WantedProfile } from '../../model/plan.ts';
import type { BridgeNames } from '../names.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';
import { activation, bridgeDynamicIpv6, profileOf } from './build.ts';

/** How a difference is mended: each way disturbs more than the one before it. */
type Remedy =
  | 'update'
  | 'reapply-interface'
  | 'reapply-bridge'
  | 'clear-uplink'
  | 'attach-uplink'
  | 'claim-bridge'
  | 'rebuild';

/** Settings of the bridge's own interface that NetworkManager changes in place (nm-device.c, can_reapply_change). */
const interfaceSettings: readonly string[] = ['ipv4', 'ipv6', 'connection', 'proxy', 'hostname', 'user'];
/** Settings of the bridge that NetworkManager changes in place. */
const bridgeSettings: readonly string[] = ['ovs-external-ids', 'ovs-other-config'];
/** Properties that configure nothing by themselves. */
const notes: readonly string[] = ['connection.autoconnect', 'user.data'];

/**
 * Steps that mend a bridge that is there without taking it apart. Null when the differences need more than that: it is built anew.
 */
export function adjustInPlace(
  wanted: WantedBridge,
  names: BridgeNames,
  differences: readonly NetworkDifference[],
  source: UplinkSource | null,
  observation: Observation,
): readonly Step[] | null {
  // A bridge that was left alone while NetworkManager was away: its profiles are there and run nothing.
  const isUnclaimed = differences.some(({ kind, observed }) => kind === 'owner' && observed === 'nobody');
  const remedies = new Set(differences.map((difference) => remedyOf(difference, names, isUnclaimed)));
  const final = wanted.profiles.find((profile) => profile.id === names.bridgeInterface);
  const bridge = wanted.profiles.find((profile) => profile.id === names.bridge);
  if (remedies.has('rebuild') || final === undefined || bridge === undefined) return null;
  const ids = new Set(differences.flatMap(({ kind, profile }) => (kind === 'setting' ? (profile ?? []) : [])));
  const changed = wanted.profiles.filter((profile) => ids.has(profile.id));
  const steps: Step[] = [];
  if (changed.length > 0)
    steps.push({ do: 'writeProfiles', profiles: changed, why: 'the profiles follow what they were made from' });
  if (isUnclaimed) steps.push(...claim(names, wanted, source, observation));
  if (remedies.has('reapply-bridge')) {
    const why = 'the external ids by which ovn-kubernetes finds the uplink, in place';
    steps.push({ do: 'reapply', id: bridge.id, uuid: bridge.uuid, settings: null, why });
  }
  if (remedies.has('attach-uplink') && source !== null) {
    const why = `${source.link.name} carries ${names.bridge} again`;
    steps.push({ do: 'attachUplink', bridge: names.bridge, interface: source.link.name, why });
  }
  if ((remedies.has('attach-uplink') || remedies.has('clear-uplink')) && source !== null) {
    const { id, uuid, link, isActive } = source;
    const why = `${link.name} is configured by ${id}, which gave it back what ${names.bridge} has`;
    steps.push({ do: 'clearUplink', interface: link.name, profile: isActive ? null : { id, uuid }, why });
  }
  if (remedies.has('reapply-interface')) {
    const { id, uuid } = final;
    const why = `${names.bridge} is changed in place; its link stays up`;
    steps.push({ do: 'reapply', id, uuid, settings: null, why });
    const addresses = fixedAddresses(final.settings);
    if (addresses.length > 0) {
      const reason = 'a new address is checked for duplicates before it answers';
      const wait = { interface: names.bridge, addresses, limitMs: detectionLimitMs };
      steps.push({ do: 'waitAddresses', ...wait, why: reason });
    }
  }
  return steps;
}

/** Steps after which NetworkManager runs the bridge's profiles on what is there. */
function claim(
  names: BridgeNames,
  wanted: WantedBridge,
  source: UplinkSource | null,
  observation: Observation,
): readonly Step[] {
  const [bridge, port, device] = [names.bridge, names.bridgePort, names.bridgeInterface].map((id) =>
    profileOf(wanted, id),
  ) as [WantedProfile, WantedProfile, WantedProfile];
  const profiles = { bridge: bridge.uuid, port: port.uuid, interface: device.uuid };
  return [
    {
      do: 'claimBridge',
      bridge: names.bridge,
      profiles,
      why: `${names.bridge} stayed while NetworkManager was away; it is taken over with all that is in it`,
    },
    { do: 'activate', profiles: [activation(port)], why: 'NetworkManager finds the rows and adds none' },
    {
      do: 'activate',
      profiles: [activation(device)],
      why: `${names.bridge} keeps its addresses and is looked after again`,
    },
    ...(source === null ? [] : bridgeDynamicIpv6(names, device, source, observation)),
  ];
}

function remedyOf(
  { kind, profile, setting = '', key = '' }: NetworkDifference,
  names: BridgeNames,
  isUnclaimed: boolean,
): Remedy {
  switch (kind) {
    case 'address':
      return 'reapply-interface';
    case 'uplink-configured':
    case 'uplink-inactive':
      return 'clear-uplink';
    case 'port':
      return 'attach-uplink';
    case 'owner':
    case 'active':
      return isUnclaimed ? 'claim-bridge' : 'rebuild';
    case 'setting':
      if (notes.includes(`${setting}.${key}`)) return 'update';
      if (profile === names.bridgeInterface && interfaceSettings.includes(setting)) return 'reapply-interface';
      return profile === names.bridge && bridgeSettings.includes(setting) ? 'reapply-bridge' : 'rebuild';
    default:
      return 'rebuild';
  }
}
