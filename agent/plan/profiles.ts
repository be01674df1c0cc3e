import type { Link, Observation } from '../model/observation.ts';
import type { PlanNote, WantedBridge, WantedProfile } from '../model/plan.ts';
import type { ProfileSettings, SettingValue } from '../model/settings.ts';
import { keepInterfaceIdentifier } from './interface-identifier.ts';
import { type BridgeNames, noUplinkMac, profileUuid, userData } from './names.ts';
import { bridgeRouteMetric } from './route-metric.ts';
import { transferSettings } from './transfer.ts';

/** The admin's profile that an uplink is configured by, and where its addresses are now. */
export interface UplinkSource {
  readonly uuid: string;
  readonly id: string;
  readonly settings: ProfileSettings;
  /** The uplink's own link. */
  readonly link: Link;
  /** Link that has the addresses now: the uplink before the move, the bridge after it. */
  readonly addressLink: Link;
}

/** The NICs of both bridges; null: none. */
export interface ChosenUplinks {
  readonly gateway: string | null;
  readonly external: string | null;
}

export interface ProfileOptions {
  readonly datapathType: 'system' | 'netdev';
  readonly chosen: ChosenUplinks;
}

type Setting = Record<string, SettingValue>;

const text = (value: string): SettingValue => ['s', value];
const yes: SettingValue = ['b', true];

/** The five profiles of a bridge with a NIC in it, and what the admin should know about what changes on the way. */
export function bridgeWithUplink(
  names: BridgeNames,
  source: UplinkSource,
  observation: Observation,
  options: ProfileOptions,
): { wanted: WantedBridge; notes: readonly PlanNote[] } {
  const mac = source.addressLink.mac.toUpperCase();
  const { address, device } = transferSettings(source.settings);
  const metric = bridgeRouteMetric(names, source, observation, options.chosen);
  const identifier = keepInterfaceIdentifier(source);
  const origin: Setting = {
    data: [
      'a{ss}',
      {
        ...asStrings(source.settings.user?.data),
        [userData.sourceProfile]: source.uuid,
        [userData.sourceId]: source.id,
      },
    ],
  };
  const mtu: SettingValue = ['u', source.link.mtuBytes];

  const bridgeInterface: ProfileSettings = {
    ...address,
    connection: {
      ...address.connection,
      ...connection(names.bridgeInterface, 'ovs-interface', names.bridge),
      ...portOf(names.bridgePort, 'ovs-port'),
      'autoconnect-priority': ['i', 100],
    },
    'ovs-interface': { type: text('internal') },
    '802-3-ethernet': { mtu, 'assigned-mac-address': text(mac) },
    ipv4: { ...address.ipv4, 'route-metric': ['x', metric.ipv4] },
    ipv6: { ...address.ipv6, ...identifier.ipv6, 'route-metric': ['x', metric.ipv6] },
    user: origin,
  };
  const uplinkInterface: ProfileSettings = {
    ...device,
    connection: {
      ...device.connection,
      ...connection(
        names.uplinkInterface,
        String(source.settings.connection?.type?.[1] ?? '802-3-ethernet'),
        source.link.name,
      ),
      ...portOf(names.uplinkPort, 'ovs-port'),
      'autoconnect-priority': ['i', 100],
    },
    '802-3-ethernet': { ...device['802-3-ethernet'], mtu },
    'ovs-interface': { type: text('system'), 'ofport-request': ['u', 1] },
    user: origin,
  };
  const externalIds = { 'bridge-id': names.bridge, 'bridge-uplink': source.link.name };
  return {
    wanted: {
      bridge: names.bridge,
      uplink: { interface: source.link.name, sourceProfile: source.uuid, sourceProfileId: source.id },
      mac,
      profiles: [
        ...bridgeProfiles(names, options, externalIds),
        named(names.bridgeInterface, bridgeInterface),
        named(names.uplinkPort, {
          connection: {
            ...connection(names.uplinkPort, 'ovs-port', source.link.name),
            ...portOf(names.bridge, 'ovs-bridge'),
          },
          'ovs-port': {},
        }),
        named(names.uplinkInterface, uplinkInterface),
      ],
    },
    notes: [...metric.notes, ...identifier.notes],
  };
}

/** The three profiles of a bridge without a NIC: up, without addresses, with MicroShift's fixed MAC. */
export function bridgeWithoutUplink(names: BridgeNames, options: ProfileOptions): WantedBridge {
  const bridgeInterface: ProfileSettings = {
    connection: {
      ...connection(names.bridgeInterface, 'ovs-interface', names.bridge),
      ...portOf(names.bridgePort, 'ovs-port'),
    },
    'ovs-interface': { type: text('internal') },
    '802-3-ethernet': { 'assigned-mac-address': text(noUplinkMac) },
    ipv4: { method: text('disabled') },
    ipv6: { method: text('disabled') },
  };
  return {
    bridge: names.bridge,
    uplink: null,
    mac: noUplinkMac,
    profiles: [
      ...bridgeProfiles(names, options, { 'bridge-id': names.bridge }),
      named(names.bridgeInterface, bridgeInterface),
    ],
  };
}

function bridgeProfiles(
  names: BridgeNames,
  options: ProfileOptions,
  externalIds: Readonly<Record<string, string>>,
): readonly WantedProfile[] {
  const bridge: ProfileSettings = {
    connection: connection(names.bridge, 'ovs-bridge', names.bridge),
    'ovs-bridge': {
      'fail-mode': text('standalone'),
      ...(options.datapathType === 'netdev' ? { 'datapath-type': text('netdev') } : {}),
    },
    'ovs-external-ids': { data: ['a{ss}', externalIds] },
  };
  const port: ProfileSettings = {
    connection: { ...connection(names.bridgePort, 'ovs-port', names.bridge), ...portOf(names.bridge, 'ovs-bridge') },
    'ovs-port': {},
  };
  return [named(names.bridge, bridge), named(names.bridgePort, port)];
}

/** A profile connects by itself only once it is proven: the run adds it with autoconnect off, the commit writes this form. */
function connection(id: string, type: string, interfaceName: string): Setting {
  return {
    id: text(id),
    uuid: text(profileUuid(id)),
    type: text(type),
    'interface-name': text(interfaceName),
    autoconnect: yes,
  };
}

function portOf(controllerId: string, portType: string): Setting {
  return { master: text(profileUuid(controllerId)), 'slave-type': text(portType) };
}

function named(id: string, settings: ProfileSettings): WantedProfile {
  return { id, uuid: profileUuid(id), settings };
}

function asStrings(value: SettingValue | undefined): Record<string, string> {
  return value === undefined ? {} : { ...(value[1] as Record<string, string>) };
}
