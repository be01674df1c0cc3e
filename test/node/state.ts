// The node's network as plain data, with the few questions that tests ask of it.

export interface Address {
  device: string;
  address: string;
  scope: string;
  dynamic: boolean;
  /** tentative, dadfailed, noprefixroute, temporary, deprecated */
  flags: string[];
}

export interface Link {
  name: string;
  mac: string;
  mtu: number;
  state: string;
  flags: string[];
  master: string | undefined;
  kind: string | undefined;
  data: Record<string, unknown> | undefined;
}

export interface Route {
  dst: string;
  gateway: string | undefined;
  dev: string | undefined;
  metric: number;
  protocol: string | undefined;
  table: string;
}

export interface Device {
  device: string;
  type: string;
  state: string;
  connection: string;
}

export interface Profile {
  name: string;
  uuid: string;
  type: string;
  autoconnect: boolean;
  active: boolean;
  device: string;
  filename: string;
}

export type OvsRow = Record<string, unknown>;

export interface OvsPort {
  port: string;
  interfaces: { name: string; type: string; ofport: unknown; error: unknown }[];
}

interface StateData {
  addresses: Address[];
  links: Link[];
  routes4: Route[];
  routes6: Route[];
  rules: Record<string, unknown>[];
  /** Rows by table; null when the database did not answer. */
  ovs: Record<string, OvsRow[] | null>;
  devices: Device[];
  profiles: Profile[];
  /** Profile settings as nmcli shows them, by profile name. */
  settings: Record<string, Record<string, string>>;
  /** Profiles, hints, configuration and resolv.conf: contents by path. */
  files: Record<string, string>;
}

/** A snapshot of the node's network. */
export class NodeState {
  readonly data: StateData;

  constructor(data: StateData) {
    this.data = data;
  }

  /** Global addresses of a device, with prefix length. */
  addressesOf(device: string): string[] {
    return this.data.addresses.filter((a) => a.device === device && a.scope === 'global').map((a) => a.address);
  }

  /** The devices that have an address (given without prefix length). */
  devicesWith(address: string): string[] {
    return this.data.addresses.filter((a) => a.address.split('/')[0] === address).map((a) => a.device);
  }

  link(name: string): Link | undefined {
    return this.data.links.find((link) => link.name === name);
  }

  /** Default routes of the main table, best first. */
  defaultRoutes(family: 4 | 6): Route[] {
    const routes = family === 4 ? this.data.routes4 : this.data.routes6;
    return routes.filter((r) => r.dst === 'default' && r.table === 'main').sort((a, b) => a.metric - b.metric);
  }

  bridges(): string[] {
    return (this.data.ovs.Bridge ?? []).map((row) => String(row.name)).sort();
  }

  /** The ports of an Open vSwitch bridge with their interfaces. */
  portsOf(bridge: string): OvsPort[] {
    const row = (this.data.ovs.Bridge ?? []).find((one) => one.name === bridge);
    return list(row?.ports).map((id) => {
      const port = this.#row('Port', id);
      const interfaces = list(port?.interfaces).map((interfaceId) => {
        const face = this.#row('Interface', interfaceId);
        return {
          name: String(face?.name),
          type: String(face?.type),
          ofport: face?.ofport,
          error: list(face?.error)[0],
        };
      });
      return { port: String(port?.name), interfaces };
    });
  }

  /** Names of the interfaces in a bridge, sorted. */
  interfacesOf(bridge: string): string[] {
    return this.portsOf(bridge)
      .flatMap((port) => port.interfaces.map((face) => face.name))
      .sort();
  }

  profile(name: string): Profile | undefined {
    return this.data.profiles.find((profile) => profile.name === name);
  }

  profileNames(): string[] {
    return this.data.profiles.map((profile) => profile.name).sort();
  }

  /** Contents of a file of the snapshot; undefined when it was not there. */
  file(path: string): string | undefined {
    return this.data.files[path];
  }

  /** DNS servers in resolv.conf. */
  nameservers(): string[] {
    return [...(this.file('/etc/resolv.conf') ?? '').matchAll(/^nameserver\s+(\S+)/gm)].map((match) => match[1] ?? '');
  }

  #row(table: string, id: unknown): OvsRow | undefined {
    return (this.data.ovs[table] ?? []).find((row) => row._uuid === id);
  }
}

/** Reads what guest/state.sh printed. */
export function parseState(text: string): NodeState {
  const sections = new Map<string, string>();
  for (const part of text.split(/^@@ /m).slice(1)) {
    const end = part.indexOf('\n');
    sections.set(part.slice(0, end), part.slice(end + 1));
  }
  const rows = (name: string): Json[] => JSON.parse(sections.get(name)?.trim() || '[]');
  const profiles = lines(sections.get('profiles')).map(toProfile);
  const files: StateData['files'] = {};
  const settings: StateData['settings'] = {};
  const ovs: StateData['ovs'] = {};
  for (const [name, body] of sections) {
    if (name.startsWith('file ')) files[name.slice(5)] = body.slice(0, -1);
    if (name.startsWith('ovs ')) ovs[name.slice(4)] = body.trim() === '' ? null : toOvsRows(body);
    if (name.startsWith('settings ')) {
      const profile = profiles.find((one) => one.uuid === name.slice(9));
      if (profile !== undefined) settings[profile.name] = toSettings(body);
    }
  }
  const devices = lines(sections.get('devices')).map((line) => {
    const [device = '', type = '', state = '', connection = ''] = fields(line);
    return { device, type, state, connection };
  });
  return new NodeState({
    addresses: rows('addresses').flatMap(toAddresses),
    links: rows('links').map(toLink),
    routes4: rows('routes4').map(toRoute),
    routes6: rows('routes6').map(toRoute),
    rules: rows('rules'),
    ovs,
    devices,
    profiles,
    settings,
    files,
  });
}

type Json = Record<string, unknown>;
const addressFlags = ['tentative', 'dadfailed', 'noprefixroute', 'temporary', 'deprecated'];

function toAddresses(link: Json): Address[] {
  if (link.ifname === 'lo') return [];
  return (link.addr_info as Json[]).map((info) => ({
    device: String(link.ifname),
    address: `${info.local}/${info.prefixlen}`,
    scope: String(info.scope),
    dynamic: Boolean(info.dynamic),
    flags: addressFlags.filter((flag) => info[flag]),
  }));
}

function toLink(link: Json): Link {
  const info = (link.linkinfo ?? {}) as Record<string, unknown>;
  return {
    name: link.ifname as string,
    mac: link.address as string,
    mtu: link.mtu as number,
    state: link.operstate as string,
    flags: link.flags as string[],
    master: link.master as string | undefined,
    kind: info.info_kind as string | undefined,
    data: info.info_data as Record<string, unknown> | undefined,
  };
}

function toRoute(route: Json): Route {
  return {
    dst: String(route.dst),
    gateway: route.gateway as string | undefined,
    dev: route.dev as string | undefined,
    metric: Number(route.metric ?? 0),
    protocol: route.protocol as string | undefined,
    table: String(route.table ?? 'main'),
  };
}

function toProfile(line: string): Profile {
  const [name = '', uuid = '', type = '', autoconnect, , active, device = '', , filename = ''] = fields(line);
  return { name, uuid, type, autoconnect: autoconnect === 'yes', active: active === 'yes', device, filename };
}

function toSettings(body: string): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const line of lines(body)) {
    const colon = line.indexOf(':');
    const value = unescaped(line.slice(colon + 1));
    if (/^[a-z0-9-]+\./.test(line) && value !== '' && value !== '--') settings[line.slice(0, colon)] = value;
  }
  return settings;
}

/** ovs-vsctl -f json: sets become arrays, maps become records, UUIDs their text (RFC 7047 section 5.1). */
function toOvsRows(body: string): OvsRow[] {
  const table = JSON.parse(body) as { headings: string[]; data: unknown[][] };
  return table.data.map((row) => Object.fromEntries(table.headings.map((heading, i) => [heading, plain(row[i])])));
}

function plain(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  if (value[0] === 'set') return (value[1] as unknown[]).map(plain);
  if (value[0] === 'map')
    return Object.fromEntries((value[1] as unknown[][]).map(([k, v]) => [String(plain(k)), plain(v)]));
  return value[1];
}

function list(value: unknown): unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

const lines = (text: string | undefined): string[] => (text ?? '').split('\n').filter(Boolean);
const unescaped = (text: string): string => text.replace(/\\(.)/g, '$1');
/** The fields of a line of `nmcli -t`, which escapes colons with a backslash. */
const fields = (line: string): string[] => line.split(/(?<!\\):/).map(unescaped);
