// Conversion of the output of guest/state.sh to a NodeState.
import { type Address, type Link, NodeState, type OvsRow, type Profile, type Route, type StateData } from './state.ts';

/** Parses the output of guest/state.sh. */
export function parseState(text: string): NodeState {
  const sections = new Map<string, string>();
  for (const part of text.split(/^@@ /m).slice(1)) {
    const end = part.indexOf('\n');
    sections.set(part.slice(0, end), part.slice(end + 1));
  }
  const rows = (name: string): Json[] => JSON.parse(sections.get(name)?.trim() || '[]');
  const profiles = lines(sections.get('profiles')).map(toProfile);
  const files: StateData['files'] = {};
  for (const [name, body] of sections) if (name.startsWith('file ')) files[name.slice(5)] = body.slice(0, -1);
  const answers = lines(sections.get('ovs'));
  const ovs = Object.fromEntries(
    ovsTables.map((table, index) => [table, answers[index] === undefined ? null : toOvsRows(answers[index])]),
  );
  const settings: StateData['settings'] = {};
  for (const body of (sections.get('settings') ?? '').split(/\n\n/)) {
    const uuid = /^connection\.uuid:(.*)$/m.exec(body)?.[1];
    const profile = profiles.find((one) => one.uuid === uuid);
    if (profile !== undefined) settings[profile.name] = toSettings(body);
  }
  const devices = lines(sections.get('devices')).map((line) => {
    const [device = '', type = '', state = '', connection = ''] = fields(line);
    return { device, type, state, connection };
  });
  return new NodeState({
    addresses: rows('addresses').flatMap(toAddresses),
    links: rows('links').map(toLink),
    routes4: rows('routes4').flatMap(toRoutes),
    routes6: rows('routes6').flatMap(toRoutes),
    rules: [...rows('rules4'), ...rows('rules6')],
    ovs,
    devices,
    profiles,
    settings,
    files,
  });
}

type Json = Record<string, unknown>;
/** Tables of Open vSwitch in the order of guest/state.sh, which prints a line for each. */
const ovsTables = ['Open_vSwitch', 'Bridge', 'Port', 'Interface'];
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

/** Returns the routes of an entry of ip(8): one route for each next hop of a multipath route. */
function toRoutes({ nexthops, ...route }: Json): Route[] {
  if (nexthops === undefined) return [toRoute(route)];
  return (nexthops as Json[]).map((hop) => toRoute({ ...route, gateway: hop.gateway, dev: hop.dev, via: hop.via }));
}

function toRoute(route: Json): Route {
  return {
    dst: route.type === undefined ? String(route.dst) : `${route.type} ${route.dst}`,
    gateway: (route.gateway ?? (route.via as Json | undefined)?.host) as string | undefined,
    dev: route.dev as string | undefined,
    metric: Number(route.metric ?? 0),
    protocol: route.protocol as string | undefined,
    table: String(route.table ?? 'main'),
  };
}

function toProfile(line: string): Profile {
  const [uuid = '', name = '', type = '', autoconnect, , active, device = '', , filename = ''] = fields(line);
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

/** Parses rows of `ovs-vsctl -f json`. Sets become arrays, maps records, and UUIDs text (RFC 7047 section 5.1). */
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

const lines = (text: string | undefined): string[] => (text ?? '').split('\n').filter(Boolean);
const unescaped = (text: string): string => text.replace(/\\(.)/g, '$1');
/** Returns the fields of a line of `nmcli -t`, which escapes colons with a backslash. */
const fields = (line: string): string[] => line.split(/(?<!\\):/).map(unescaped);
