// The node's network as plain data, with queries for tests.

export interface Address {
  device: string;
  address: string;
  scope: string;
  dynamic: boolean;
  /** Flags of an address: tentative, dadfailed, noprefixroute, temporary, deprecated. */
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

export interface StateData {
  addresses: Address[];
  links: Link[];
  routes4: Route[];
  routes6: Route[];
  rules: Record<string, unknown>[];
  /** Rows by table; null if the database did not answer. */
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

  /** Returns the global addresses of a device, with prefix length. */
  addressesOf(device: string): string[] {
    return this.data.addresses.filter((a) => a.device === device && a.scope === 'global').map((a) => a.address);
  }

  /** Returns the devices that have an address (given without prefix length). */
  devicesWith(address: string): string[] {
    return this.data.addresses.filter((a) => a.address.split('/')[0] === address).map((a) => a.device);
  }

  link(name: string): Link | undefined {
    return this.data.links.find((link) => link.name === name);
  }

  /** Returns the default routes of the main table, lowest metric first. */
  defaultRoutes(family: 4 | 6): Route[] {
    const routes = family === 4 ? this.data.routes4 : this.data.routes6;
    return routes.filter((r) => r.dst === 'default' && r.table === 'main').sort((a, b) => a.metric - b.metric);
  }

  bridges(): string[] {
    return (this.data.ovs.Bridge ?? []).map((row) => String(row.name)).sort();
  }

  /** Returns the ports of an Open vSwitch bridge with their interfaces. */
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

  /** Returns the names of the interfaces in a bridge, sorted. */
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

  /** Returns the content of a file of the snapshot; undefined if the file did not exist. */
  file(path: string): string | undefined {
    return this.data.files[path];
  }

  /** Returns the DNS servers in resolv.conf. */
  nameservers(): string[] {
    return [...(this.file('/etc/resolv.conf') ?? '').matchAll(/^nameserver\s+(\S+)/gm)].map((match) => match[1] ?? '');
  }

  #row(table: string, id: unknown): OvsRow | undefined {
    return (this.data.ovs[table] ?? []).find((row) => row._uuid === id);
  }
}

/** Returns the values of an OVSDB set, which is a bare value if it has one element. */
function list(value: unknown): unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}
