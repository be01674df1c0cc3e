// What a plan makes of a node, on paper: the observation after a run that did all it planned.
import type { Link, NmActiveConnection, NmDevice, Observation, OvsBridge } from '../../../agent/model/observation.ts';
import type { Plan, WantedBridge } from '../../../agent/model/plan.ts';
import type { ProfileSettings, SettingValue } from '../../../agent/model/settings.ts';

/** The node after the plan: every wanted bridge is there, and its uplink's addresses and routes are on it. */
export function modelApply(plan: Plan, before: Observation): Observation {
  return plan.wanted.bridges.reduce(
    (observation, bridge) => withBridge(bridge, observation),
    withoutBridges(plan, before),
  );
}

function withoutBridges(plan: Plan, before: Observation): Observation {
  const wanted = new Set(plan.wanted.bridges.flatMap((bridge) => bridge.profiles.map((profile) => profile.id)));
  const { networkManager } = before;
  return {
    ...before,
    networkManager: {
      ...networkManager,
      profiles: networkManager.profiles.filter((profile) => !wanted.has(profile.id)),
    },
  };
}

function withBridge(wanted: WantedBridge, before: Observation): Observation {
  const { networkManager: nm } = before;
  const uplink = wanted.uplink?.interface ?? null;
  const uplinkLink = before.links.find((link) => link.name === uplink);
  const device = (id: string): string =>
    uplink !== null && /^ovs-if-phys/.test(id) ? deviceOf(before, uplink).path : `/new/${id}`;
  const actives = wanted.profiles.map((profile) => active(profile.id, profile.uuid, device(profile.id)));
  const metrics = metricsOf(wanted);
  return {
    ...before,
    links: [
      ...before.links.map((link) => (link.name === uplink ? { ...link, addresses: [], master: 'ovs-system' } : link)),
      bridgeLink(wanted, uplinkLink),
    ],
    routes: before.routes.map((route) =>
      route.device === uplink
        ? { ...route, device: wanted.bridge, metric: metrics[`ipv${route.family}`] ?? 48 }
        : route,
    ),
    networkManager: {
      ...nm,
      devices: [
        ...nm.devices.map((entry) =>
          entry.interface === uplink
            ? { ...entry, activeConnection: active(uplinkProfile(wanted), '', '').path }
            : entry,
        ),
        ...[24, 25, 26].map((type): NmDevice => newDevice(wanted.bridge, type)),
      ],
      activeConnections: [...nm.activeConnections, ...actives],
      profiles: [
        ...nm.profiles.filter((profile) => !isMadeUp(profile.uuid, uplink, before)),
        ...wanted.profiles.map(({ id, uuid, settings }) => ({
          path: `/new/profile/${id}`,
          uuid,
          id,
          filename: '',
          settings: readBack(settings),
        })),
      ],
    },
    ovs: { ...before.ovs, bridges: [...before.ovs.bridges, bridgeRow(wanted)] },
  };
}

/** A profile NetworkManager made up for a device that somebody else configured: gone once the device runs another one. */
function isMadeUp(uuid: string, uplink: string | null, before: Observation): boolean {
  const device = before.networkManager.devices.find((entry) => entry.interface === uplink);
  return before.networkManager.activeConnections.some(
    (entry) => entry.path === device?.activeConnection && entry.uuid === uuid && (entry.stateFlags & 0x80) !== 0,
  );
}

/** What NetworkManager adds when a profile is read. */
function readBack(settings: ProfileSettings): ProfileSettings {
  const empty: SettingValue = ['aa{sv}', []];
  const connection = {
    permissions: ['as', []] as const,
    ...settings.connection,
    timestamp: ['t', 1_800_000_000] as const,
  };
  const ip = (name: 'ipv4' | 'ipv6') => ({
    [name]: { 'address-data': empty, 'route-data': empty, method: ['s', 'auto'] as const, ...settings[name] },
  });
  return { ...settings, connection, ...ip('ipv4'), ...ip('ipv6') };
}

function bridgeLink(wanted: WantedBridge, uplink: Link | undefined): Link {
  const fixed = ['ipv4', 'ipv6'].flatMap((name) => {
    const list = wanted.profiles.flatMap(
      (profile) => (profile.settings[name]?.['address-data']?.[1] ?? []) as Record<string, SettingValue>[],
    );
    return list.map((entry) => ({
      address: String(entry.address?.[1]),
      prefixLength: Number(entry.prefix?.[1]),
      family: name === 'ipv4' ? (4 as const) : (6 as const),
    }));
  });
  const flags = { scope: 'global' as const, tentative: false, dadFailed: false, temporary: false, deprecated: false };
  const present = (uplink?.addresses ?? []).map((entry) => ({ ...entry, tentative: false }));
  const added = fixed.filter(
    (entry) => !present.some((other) => other.address === entry.address && other.prefixLength === entry.prefixLength),
  );
  return {
    name: wanted.bridge,
    index: 90,
    mac: wanted.mac.toLowerCase(),
    permanentMac: null,
    mtuBytes: uplink?.mtuBytes ?? 1500,
    up: true,
    carrier: true,
    hardwareType: 1,
    kind: null,
    driver: null,
    master: null,
    addresses: [...present, ...added.map((entry) => ({ ...entry, ...flags }))],
  };
}

function bridgeRow(wanted: WantedBridge): OvsBridge {
  const row = (name: string, type: string, id: string) => {
    const externalIds = { 'NM.connection.uuid': wanted.profiles.find((profile) => profile.id === id)?.uuid ?? '' };
    return {
      uuid: name,
      name,
      externalIds,
      interfaces: [{ uuid: name, name, type, ofport: 1, error: null, externalIds }],
    };
  };
  const uplink = wanted.uplink === null ? [] : [row(wanted.uplink.interface, 'system', uplinkProfile(wanted))];
  return {
    uuid: wanted.bridge,
    name: wanted.bridge,
    datapathType: '',
    failMode: 'standalone',
    externalIds: { 'NM.connection.uuid': wanted.profiles.find((profile) => profile.id === wanted.bridge)?.uuid ?? '' },
    otherConfig: {},
    ports: [...uplink, row(wanted.bridge, 'internal', `ovs-if-${wanted.bridge}`)],
  };
}

function metricsOf(wanted: WantedBridge): Readonly<Record<string, number>> {
  const settings = wanted.profiles.find((profile) => profile.id === `ovs-if-${wanted.bridge}`)?.settings;
  return { ipv4: Number(settings?.ipv4?.['route-metric']?.[1]), ipv6: Number(settings?.ipv6?.['route-metric']?.[1]) };
}

function uplinkProfile(wanted: WantedBridge): string {
  return wanted.bridge === 'br-ex' ? 'ovs-if-phys0' : 'ovs-if-phys1';
}

function deviceOf(observation: Observation, name: string): NmDevice {
  return observation.networkManager.devices.find((entry) => entry.interface === name) ?? newDevice(name, 1);
}

function newDevice(name: string, type: number): NmDevice {
  return {
    path: `/new/${type}/${name}`,
    interface: name,
    ipInterface: name,
    type,
    state: 100,
    activeConnection: null,
    hwAddress: '',
    driver: '',
  };
}

function active(id: string, uuid: string, device: string): NmActiveConnection {
  return {
    path: `/new/active/${id}`,
    id,
    uuid,
    type: '',
    profile: `/new/profile/${id}`,
    devices: [device],
    state: 2,
    stateFlags: 0x5c,
  };
}
