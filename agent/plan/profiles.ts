import type { DhcpIdentity, Link, Observation } from '../model/observation.ts';
import type { PlanNote, WantedBridge, WantedProfile } from '../model/plan.ts';
import type { ProfileSettings, SettingValue } from '../model/settings.ts';
import { adoptedUuids } from './adopt.ts';
import { keepDhcpIdentity } from './dhcp-identity.ts';
import { keepInterfaceIdentifier } from './interface-identifier.ts';
import { activePortNotes } from './mac.ts';
import { wantedMtu } from './mtu.ts';
import { type BridgeNames, noUplinkMac, profileUuid, userData } from './names.ts';
import { portCopies } from './ports.ts';
import { bridgeRouteMetric } from './route-metric.ts';
import { moveRoutingRules } from './routing-rules.ts';
import { secretNotes, secretsFrom } from './secrets.ts';
import { notCarriedNotes, transferSettings } from './transfer.ts';

/** The admin's profile that an uplink is configured by, and where its addresses are now. */
export interface UplinkSource {
  readonly uuid: string;
  readonly id: string;
  readonly settings: ProfileSettings;
  /** The uplink's own link. */
  readonly link: Link;
  /** Link that has the addresses now: the uplink before the move, the bridge after it. */
  readonly addressLink: Link;
  /** MAC of the bridge. */
  readonly mac: string;
  /** What DHCP servers know the device with the addresses by. */
  readonly dhcp: DhcpIdentity | null;
  /** Our profile of the bridge's interface, once the NIC is in the bridge. */
  readonly given: ProfileSettings | null;
  /** A copy of the profile that has to be kept, because the profile itself will not last. */
  readonly kept: WantedProfile | null;
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
/** UUID of the profile of a bridge with this id. */
type UuidOf = (id: string) => string;

const text = (value: string): SettingValue => ['s', value];
const yes: SettingValue = ['b', true];

/** The five profiles of a bridge with a NIC in it, and what the admin should know about what changes on the way. */
export function bridgeWithUplink(
  names: BridgeNames,
  source: UplinkSource,
  observation: Observation,
  options: ProfileOptions,
): { wanted: WantedBridge; notes: readonly PlanNote[] } {
  const { mac } = source;
  const { address, device } = transferSettings(source.settings);
  const metric = bridgeRouteMetric(names, source, observation, options.chosen);
  const identifier = keepInterfaceIdentifier(source);
  const identity = keepDhcpIdentity(source.settings, source.dhcp, source.given);
  const rules = moveRoutingRules(source.id, source.settings, source.link.name, names.bridge);
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
  const { mtu, notes: mtuNotes } = wantedMtu(source);
  const adopted = adoptedUuids(names, source.link.name, observation);
  const uuidOf: UuidOf = adopted ?? profileUuid;

  const bridgeInterface: ProfileSettings = {
    ...address,
    connection: {
      ...address.connection,
      ...connection(names.bridgeInterface, 'ovs-interface', names.bridge, uuidOf),
      ...portOf(names.bridgePort, 'ovs-port', uuidOf),
      'autoconnect-priority': ['i', 100],
    },
    'ovs-interface': { type: text('internal') },
    '802-3-ethernet': { mtu, 'assigned-mac-address': text(mac) },
    ipv4: { ...address.ipv4, ...rules.ipv4, ...identity.ipv4, 'route-metric': ['x', metric.ipv4] },
    ipv6: { ...address.ipv6, ...rules.ipv6, ...identifier.ipv6, ...identity.ipv6, 'route-metric': ['x', metric.ipv6] },
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
        uuidOf,
      ),
      ...portOf(names.uplinkPort, 'ovs-port', uuidOf),
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
        ...bridgeProfiles(names, options, externalIds, uuidOf),
        named(names.bridgeInterface, bridgeInterface, uuidOf),
        named(
          names.uplinkPort,
          {
            connection: {
              ...connection(names.uplinkPort, 'ovs-port', source.link.name, uuidOf),
              ...portOf(names.bridge, 'ovs-bridge', uuidOf),
            },
            'ovs-port': {},
          },
          uuidOf,
        ),
        { ...named(names.uplinkInterface, uplinkInterface, uuidOf), ...secretsFrom(source.settings, source.uuid) },
        // An adopted bond keeps the copies of its ports that it runs with.
        ...(adopted === null ? portCopies(names, source, observation) : []),
        ...(source.kept === null ? [] : [source.kept]),
      ],
    },
    notes: [
      ...notCarriedNotes(source.id, source.settings),
      ...mtuNotes,
      ...metric.notes,
      ...rules.notes,
      ...identifier.notes,
      ...identity.notes,
      ...activePortNotes(source, mac),
      ...secretNotes(source.id, source.settings),
    ],
  };
}

/** The three profiles of a bridge without a NIC: up, without addresses, with MicroShift's fixed MAC. */
export function bridgeWithoutUplink(names: BridgeNames, options: ProfileOptions): WantedBridge {
  const bridgeInterface: ProfileSettings = {
    connection: {
      ...connection(names.bridgeInterface, 'ovs-interface', names.bridge, profileUuid),
      ...portOf(names.bridgePort, 'ovs-port', profileUuid),
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
      ...bridgeProfiles(names, options, { 'bridge-id': names.bridge }, profileUuid),
      named(names.bridgeInterface, bridgeInterface, profileUuid),
    ],
  };
}

function bridgeProfiles(
  names: BridgeNames,
  options: ProfileOptions,
  externalIds: Readonly<Record<string, string>>,
  uuidOf: UuidOf,
): readonly WantedProfile[] {
  const bridge: ProfileSettings = {
    connection: connection(names.bridge, 'ovs-bridge', names.bridge, uuidOf),
    'ovs-bridge': {
      'fail-mode': text('standalone'),
      ...(options.datapathType === 'netdev' ? { 'datapath-type': text('netdev') } : {}),
    },
    'ovs-external-ids': { data: ['a{ss}', externalIds] },
  };
  const port: ProfileSettings = {
    connection: {
      ...connection(names.bridgePort, 'ovs-port', names.bridge, uuidOf),
      ...portOf(names.bridge, 'ovs-bridge', uuidOf),
    },
    'ovs-port': {},
  };
  return [named(names.bridge, bridge, uuidOf), named(names.bridgePort, port, uuidOf)];
}

/** A profile connects by itself only once it is proven: the run adds it with autoconnect off, the commit writes this form. */
function connection(id: string, type: string, interfaceName: string, uuidOf: UuidOf): Setting {
  return {
    id: text(id),
    uuid: text(uuidOf(id)),
    type: text(type),
    'interface-name': text(interfaceName),
    autoconnect: yes,
  };
}

function portOf(controllerId: string, portType: string, uuidOf: UuidOf): Setting {
  return { master: text(uuidOf(controllerId)), 'slave-type': text(portType) };
}

function named(id: string, settings: ProfileSettings, uuidOf: UuidOf): WantedProfile {
  return { id, uuid: uuidOf(id), settings };
}

function asStrings(value: SettingValue | undefined): Record<string, string> {
  return value === undefined ? {} : { ...(value[1] as Record<string, string>) };
}
