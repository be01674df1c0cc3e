import type { Config } from '../../model/config.ts';
import { endlessDhcpTimeout } from '../../model/limits.ts';
import { type BridgeNames, noUplinkMac, ownerKeys, profileUuid, userData } from '../../model/names.ts';
import type { Observation } from '../../model/observation.ts';
import type { PlanNote, WantedBridge, WantedProfile } from '../../model/plan.ts';
import { type ProfileSettings, type SettingValue, stringsOf } from '../../model/profile-settings.ts';
import type { ChosenUplinks } from '../uplink/choose.ts';
import { activePortNotes } from '../uplink/mac.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';
import { authenticationNotes } from './authentication.ts';
import { carriedAddresses } from './carried-addresses.ts';
import { keepDhcpIdentity } from './dhcp-identity.ts';
import { keepInterfaceIdentifier } from './interface-identifier.ts';
import { wantedMtu } from './mtu.ts';
import { pingAddressNotes } from './ping-addresses.ts';
import { bridgeRouteMetric } from './route-metric.ts';
import { moveRoutingRules } from './routing-rules.ts';
import { addressSettings } from './transfer.ts';

type Setting = Record<string, SettingValue>;

const text = (value: string): SettingValue => ['s', value];

/** Returns the three profiles of a bridge with a NIC, and notes for the administrator about settings that change. */
export function bridgeWithUplink(
  names: BridgeNames,
  source: UplinkSource,
  observation: Observation,
  config: Config,
  chosen: ChosenUplinks,
): { wanted: WantedBridge; notes: readonly PlanNote[] } {
  const { mac } = source;
  const address = addressSettings(source.settings);
  const metric = bridgeRouteMetric(names, source, observation, chosen);
  const identifier = keepInterfaceIdentifier(source);
  const identity = keepDhcpIdentity(source);
  const rules = moveRoutingRules(source.id, source.settings, source.link.name, names.bridge);
  const { mtu, notes: mtuNotes } = wantedMtu(source);
  const { [userData.copyOf]: _, ...ofAdmin } = stringsOf(source.settings, 'user', 'data');
  const carried = carriedAddresses(source, observation);
  const origin = {
    ...ofAdmin,
    [userData.sourceProfile]: source.uuid,
    [userData.sourceId]: source.id,
    ...(carried === '' ? {} : { [userData.carried]: carried }),
  };
  const bridgeInterface: ProfileSettings = {
    ...address,
    connection: { ...address.connection, ...interfaceConnection(names) },
    'ovs-interface': { type: text('internal') },
    '802-3-ethernet': { ...(mtu === null ? {} : { mtu }), 'assigned-mac-address': text(mac) },
    ipv4: { ...patient(address.ipv4), ...rules.ipv4, ...identity.ipv4, 'route-metric': ['x', metric.ipv4] },
    ipv6: { ...address.ipv6, ...rules.ipv6, ...identifier.ipv6, ...identity.ipv6, 'route-metric': ['x', metric.ipv6] },
    user: { data: ['a{ss}', origin] },
  };
  return {
    wanted: {
      bridge: names.bridge,
      uplink: { interface: source.link.name, sourceProfile: source.uuid, sourceProfileId: source.id },
      mac,
      profiles: [
        ...bridgeProfiles(names, config, { 'bridge-uplink': source.link.name }),
        named(names.bridgeInterface, bridgeInterface),
      ],
    },
    notes: [
      ...mtuNotes,
      ...metric.notes,
      ...rules.notes,
      ...identifier.notes,
      ...identity.notes,
      ...activePortNotes(source, mac),
      ...authenticationNotes(source),
      ...pingAddressNotes(source),
    ],
  };
}

/**
 * Returns the settings with a DHCP client that never gives up, unless the settings name a time limit. If the client
 * gave up after the end of a lease, NetworkManager would deactivate the profile at `dhcp-timeout` (1.58, nm-device.c,
 * _dev_ipdhcpx_handle_fail) and remove the bridge with everything that other programs have in it. The wait of a run for
 * a lease has another limit.
 */
function patient(ipv4: Readonly<Setting> = {}): Readonly<Setting> {
  const limit = Number(ipv4['dhcp-timeout']?.[1] ?? 0);
  return ipv4.method?.[1] === 'auto' && limit === 0 ? { ...ipv4, 'dhcp-timeout': ['i', endlessDhcpTimeout] } : ipv4;
}

/**
 * Returns the three profiles of a bridge without a NIC. The bridge is up, and has MicroShift's fixed MAC, these
 * addresses (`address/prefix`), and no default route.
 */
export function bridgeWithoutUplink(names: BridgeNames, config: Config, addresses: readonly string[]): WantedBridge {
  const bridgeInterface: ProfileSettings = {
    connection: interfaceConnection(names),
    'ovs-interface': { type: text('internal') },
    '802-3-ethernet': { 'assigned-mac-address': text(noUplinkMac) },
    // Duplicate address detection is off for IPv4. No other host is on the bridge, but the gateway router of a running
    // OVN has the node's own addresses and would answer the detection.
    ipv4: { ...fixed(addresses.filter((address) => !address.includes(':'))), 'dad-timeout': ['i', 0] },
    ipv6: fixed(addresses.filter((address) => address.includes(':'))),
  };
  return {
    bridge: names.bridge,
    uplink: null,
    mac: noUplinkMac,
    profiles: [...bridgeProfiles(names, config, {}), named(names.bridgeInterface, bridgeInterface)],
  };
}

function fixed(addresses: readonly string[]): Setting {
  if (addresses.length === 0) return { method: text('disabled') };
  const data = addresses.map((entry) => {
    const [address = '', prefix] = entry.split('/');
    return { address: text(address), prefix: ['u', Number(prefix)] as const };
  });
  return { method: text('manual'), 'address-data': ['aa{sv}', data], 'never-default': ['b', true] };
}

function bridgeProfiles(
  names: BridgeNames,
  { ovs }: Config,
  externalIds: Readonly<Record<string, string>>,
): readonly WantedProfile[] {
  const bridge: ProfileSettings = {
    connection: connection(names.bridge, 'ovs-bridge', names.bridge),
    'ovs-bridge': {
      'fail-mode': text('standalone'),
      ...(ovs.datapathType.value === 'netdev' ? { 'datapath-type': text('netdev') } : {}),
    },
    'ovs-external-ids': {
      data: ['a{ss}', { ...externalIds, 'bridge-id': names.bridge, [ownerKeys.own]: profileUuid(names.bridge) }],
    },
  };
  const port: ProfileSettings = {
    connection: { ...connection(names.bridgePort, 'ovs-port', names.bridge), ...portOf(names.bridge, 'ovs-bridge') },
    'ovs-port': {},
  };
  return [named(names.bridge, bridge), named(names.bridgePort, port)];
}

/**
 * Returns the connection setting of a bridge's profile. It has `autoconnect=no`, so that NetworkManager never activates
 * the profile by itself. Otherwise, NetworkManager would bring the bridge up after a restart, but without the NIC,
 * because no profile makes the NIC a port. The node would then be unreachable.
 */
function connection(id: string, type: string, interfaceName: string): Setting {
  return {
    id: text(id),
    uuid: text(profileUuid(id)),
    type: text(type),
    'interface-name': text(interfaceName),
    autoconnect: ['b', false],
  };
}

function interfaceConnection({ bridge, bridgePort, bridgeInterface }: BridgeNames): Setting {
  return { ...connection(bridgeInterface, 'ovs-interface', bridge), ...portOf(bridgePort, 'ovs-port') };
}

function portOf(controllerId: string, portType: string): Setting {
  return { master: text(profileUuid(controllerId)), 'slave-type': text(portType) };
}

function named(id: string, settings: ProfileSettings): WantedProfile {
  return { id, uuid: profileUuid(id), settings };
}
