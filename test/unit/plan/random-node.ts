// Random nodes: links, profiles, routes and hints, from a seed.
import type { Link, LinkAddress, NmProfile, Observation, Route } from '../../../agent/model/observation.ts';
import type { SettingValue } from '../../../agent/model/profile-settings.ts';
import { usualLink } from '../link.ts';

export type Random = (limit: number) => number;

type Setting = Record<string, SettingValue>;

/** Returns an observation of a node with 1 to 6 NICs that NetworkManager runs. */
export function randomNode(random: Random): Observation {
  const names = ['eth0', 'eth1', 'eth10', 'enp3s0', 'bond0', 'eth0.100', 'wlan0', 'podman0'];
  const count = 1 + random(6);
  const nics = shuffled(names, random).slice(0, count);
  const links = nics.map((name, index) => randomLink(name, index + 2, random));
  const bare = nics.map((name, index) => randomProfile(name, index, random));
  const pick = (): string => [...nics, 'eth7'][random(nics.length + 1)] ?? 'eth7';
  const routes = shuffled(links, random).flatMap((link) => randomRoutes(link, random));
  const profiles = bare.map((profile) => withDefaults(profile, routes));
  const sometimes = (value: string): string | null => (random(4) === 0 ? value : null);
  const observation: Observation = {
    host: { bootId: 'boot', hostname: 'node', sshPeer: sometimes('192.0.2.9') },
    links: [loopback, ...links],
    routes,
    resolver: {
      nameservers: ['192.0.2.1', '2001:db8::1', '127.0.0.53'].slice(random(3)),
      search: ['example.org'],
      options: [],
    },
    hints: {
      interfaceHint: sometimes(pick()),
      extraBridge: sometimes(pick()),
      defaultBridge: random(8) === 0 ? pick() : null,
      nodeIp: sometimes(links[0]?.addresses[0]?.address ?? '198.51.100.7'),
    },
    networkManager: {
      version: '1.58.0',
      ovsPlugin: true,
      devices: nics.map((name, index) => ({
        path: `/device/${index}`,
        interface: name,
        ipInterface: name,
        type: 1,
        state: 100,
        activeConnection: `/active/${index}`,
        hwAddress: '',
        driver: '',
      })),
      activeConnections: profiles.map((profile, index) => ({
        path: `/active/${index}`,
        id: profile.id,
        uuid: profile.uuid,
        type: '802-3-ethernet',
        profile: profile.path,
        devices: [`/device/${index}`],
        state: 2,
        // A tenth of the NICs are configured by other programs than NetworkManager.
        stateFlags: random(10) === 0 ? 0xdc : 0x5c,
      })),
      profiles,
      checkpoints: [],
    },
    ovs: { version: '4.0.0', bridges: [], externalIds: {}, otherConfig: {}, nextCfg: 1, curCfg: 1 },
  };
  // MicroShift is not chosen at random, so that each seed results in the same node as before this choice was added.
  const withMicroShift = (links.length + routes.length) % 2 === 0 ? ofMicroShift(observation) : observation;
  if (random(4) !== 0) return withMicroShift;
  const added = { bridge: 'brlan', interface: pick(), routeMetric: 50 + random(300) };
  return { ...withMicroShift, hints: { ...observation.hints, addedBridges: [added] } };
}

function ofMicroShift(observation: Observation): Observation {
  return { ...observation, host: { ...observation.host, hasMicroShift: true } };
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const rest = [...items];
  return items.map(() => rest.splice(random(rest.length), 1)[0] as T);
}

const loopback: Link = {
  name: 'lo',
  index: 1,
  mac: '00:00:00:00:00:00',
  ...usualLink,
  mtuBytes: 65_536,
  hardwareType: 772,
  addresses: [],
};

function randomLink(name: string, index: number, random: Random): Link {
  return {
    ...loopback,
    name,
    index,
    mac: `52:54:00:aa:00:${index.toString(16).padStart(2, '0')}`,
    mtuBytes: [1400, 1500, 9000][random(3)] ?? 1500,
    hardwareType: random(12) === 0 ? 512 : 1,
    kind: name === 'wlan0' ? 'wlan' : name === 'bond0' ? 'bond' : name.includes('.') ? 'vlan' : null,
    addresses: [...randomAddresses(4, index, random), ...randomAddresses(6, index, random)],
  };
}

function randomAddresses(family: 4 | 6, index: number, random: Random): LinkAddress[] {
  return Array.from({ length: random(3) }, (_, position) => ({
    family,
    address: family === 4 ? `192.0.${index}.${50 + position}` : `2001:db8:${index}::${position + 1}`,
    prefixLength: family === 4 ? 24 : ([64, 128][random(2)] ?? 64),
    scope: random(6) === 0 ? 'link' : 'global',
    tentative: random(8) === 0,
    dadFailed: false,
    temporary: random(8) === 0,
    deprecated: false,
  }));
}

function randomRoutes(link: Link, random: Random): Route[] {
  const metric = [0, 20, 100, 200, 20_100][random(5)] ?? 100;
  const routes: Route[] = [
    { family: 4, destination: `192.0.${link.index}.0/24`, gateway: null, device: link.name, metric },
  ];
  if (random(2) === 0)
    routes.push({
      family: 4,
      destination: '0.0.0.0/0',
      gateway: random(4) === 0 ? null : `192.0.${link.index}.1`,
      device: link.name,
      metric,
    });
  if (random(3) === 0)
    routes.push({ family: 6, destination: '::/0', gateway: 'fe80::1', device: link.name, metric: 1024 });
  if (random(3) === 0)
    routes.push({
      family: 4,
      destination: '198.51.100.0/24',
      gateway: `192.0.${link.index}.7`,
      device: link.name,
      metric,
    });
  return routes;
}

/**
 * Properties that a profile can have, each in about every third profile; some of them exist in no version of
 * NetworkManager.
 */
const properties: readonly (readonly [setting: string, key: string, value: SettingValue])[] = [
  ['connection', 'zone', ['s', 'trusted']],
  ['connection', 'lldp', ['i', 1]],
  ['connection', 'mdns', ['i', 2]],
  ['connection', 'permissions', ['as', ['user:admin:']]],
  ['connection', 'metered', ['i', 1]],
  ['connection', 'autoconnect-priority', ['i', 5]],
  ['connection', 'never-heard-of', ['s', 'x']],
  ['802-3-ethernet', 'mtu', ['u', 1500]],
  ['802-3-ethernet', 'wake-on-lan', ['u', 64]],
  ['802-1x', 'eap', ['as', ['tls']]],
  ['802-1x', 'ca-cert', ['ay', '00ff']],
  ['ethtool', 'feature-gro', ['b', false]],
  ['vlan', 'id', ['u', 100]],
  ['vlan', 'parent', ['s', 'eth0']],
  ['bond', 'options', ['a{ss}', { mode: 'active-backup', miimon: '100' }]],
  ['proxy', 'pac-url', ['s', 'http://proxy.example.org/pac']],
  ['hostname', 'priority', ['i', 7]],
  ['user', 'data', ['a{ss}', { 'example.org': 'kept' }]],
  ['never-heard-of', 'value', ['t', '18446744073709551615']],
  ['ipv4', 'dns-search', ['as', ['example.org']]],
  ['ipv4', 'dhcp-client-id', ['s', 'mac']],
  ['ipv4', 'dhcp-iaid', ['s', 'stable']],
  ['ipv4', 'route-metric', ['x', 77]],
  ['ipv4', 'routing-rules', ['aa{sv}', [{ family: ['i', 2], priority: ['u', 5] }]]],
  ['ipv6', 'routing-rules', ['aa{sv}', [{ family: ['i', 10], iifname: ['s', 'vpn0'], priority: ['u', 6] }]]],
  ['ipv4', 'address-data', ['aa{sv}', [{ address: ['s', '192.0.2.50'], prefix: ['u', 24] }]]],
  ['ipv6', 'addr-gen-mode', ['i', 1]],
  ['ipv6', 'token', ['s', '::5']],
  ['ipv6', 'ip6-privacy', ['i', 2]],
  ['ipv6', 'dhcp-duid', ['s', 'll']],
];

function randomProfile(name: string, index: number, random: Random): NmProfile {
  const uuid = `00000000-0000-4000-8000-00000000000${index}`;
  const settings: Record<string, Setting> = {
    connection: {
      id: ['s', `${name} profile`],
      uuid: ['s', uuid],
      type: ['s', '802-3-ethernet'],
      'interface-name': ['s', name],
    },
    ipv4: { method: ['s', ['auto', 'manual', 'disabled'][random(3)] ?? 'auto'] },
    ipv6: { method: ['s', ['auto', 'dhcp', 'manual', 'disabled'][random(4)] ?? 'auto'] },
  };
  for (const [setting, key, value] of properties) {
    if (random(3) === 0) settings[setting] = { ...settings[setting], [key]: value };
  }
  for (const [family, address, prefix] of [
    ['ipv4', `192.0.${index}.77`, 24],
    ['ipv6', `2001:db8:${index}::77`, 64],
  ] as const) {
    const setting = settings[family] ?? {};
    // NetworkManager accepts `manual` only with addresses, and `disabled` only without.
    if (setting.method?.[1] === 'disabled') delete setting['address-data'];
    if (setting.method?.[1] === 'manual')
      setting['address-data'] ??= ['aa{sv}', [{ address: ['s', address], prefix: ['u', prefix] }]];
  }
  return { path: `/profile/${index}`, uuid, id: `${name} profile`, filename: `/etc/${name}`, settings };
}

/** Adds the NIC's default routes to its profile, if the profile has fixed addresses. */
function withDefaults(profile: NmProfile, routes: readonly Route[]): NmProfile {
  const settings = { ...profile.settings };
  for (const family of [4, 6] as const) {
    const setting = settings[`ipv${family}`];
    const defaults = routes.filter(
      (route) => route.family === family && route.device === settings.connection?.['interface-name']?.[1],
    );
    if (setting?.method?.[1] !== 'manual') continue;
    settings[`ipv${family}`] = { ...setting, 'route-data': ['aa{sv}', defaults.filter(isDefault).map(routeData)] };
  }
  return { ...profile, settings };
}

function isDefault({ destination }: Route): boolean {
  return destination.endsWith('/0');
}

function routeData({ destination, gateway }: Route): Record<string, SettingValue> {
  const [dest = ''] = destination.split('/');
  return {
    dest: ['s', dest],
    prefix: ['u', 0],
    ...(gateway === null ? {} : { 'next-hop': ['s', gateway] as const }),
  };
}
