// A node on paper that does what steps say, as NetworkManager and Open vSwitch would: a plan that works only in the planner's own mind
// fails here. Every device keeps the MAC it had; what the LAN gives (leases, advertised addresses, gateways) goes by it.
import type { Link, LinkAddress, NmDevice, NmProfile, Observation, Route } from '../../../agent/model/observation.ts';
import type { ProfileActivation, Step, WantedProfile } from '../../../agent/model/plan.ts';
import type { ProfileSettings, SettingValue } from '../../../agent/model/settings.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer I)[] ? Mutable<I>[] : T[K] };
interface Port {
  name: string;
  profile: string;
  type: string;
}

/** What the LAN has for a MAC. */
interface Given {
  readonly addresses: readonly LinkAddress[];
  readonly routes: readonly Route[];
}

export class ModelNode {
  readonly #start: Observation;
  readonly #lan: ReadonlyMap<string, Given>;
  #profiles: NmProfile[];
  /** Profile that runs on a device, by the device's path. */
  readonly #running = new Map<string, string>();
  readonly #devices: NmDevice[];
  #links: Mutable<Link>[];
  #routes: Route[];
  readonly #bridges = new Map<string, { profile: string; ports: Port[] }>();

  /** A node whose NICs run the profiles they are observed to run, and nothing of Open vSwitch. */
  constructor(observation: Observation) {
    const { networkManager: nm, links, routes } = observation;
    const given = (link: Link): Given => ({
      addresses: link.addresses.map((entry) => ({ ...entry, tentative: false })),
      routes: routes.filter((route) => route.device === link.name),
    });
    this.#start = observation;
    this.#lan = new Map(links.map((link) => [link.mac, given(link)]));
    this.#profiles = [...nm.profiles];
    this.#devices = [...nm.devices];
    this.#links = links.map((link) => ({ ...structuredClone(link), addresses: [] })) as Mutable<Link>[];
    this.#routes = routes.filter((route) => !nm.devices.some((device) => device.interface === route.device));
    for (const device of nm.devices) {
      const active = nm.activeConnections.find((entry) => entry.path === device.activeConnection);
      if (active !== undefined) this.#run(device, active.uuid);
    }
  }

  run(steps: readonly Step[]): void {
    for (const step of steps) this.#step(step);
  }

  observe(): Observation {
    const { networkManager: nm, ovs } = this.#start;
    const running = [...this.#running].flatMap(([device, uuid]) => {
      const profile = this.#profiles.find((entry) => entry.uuid === uuid);
      return profile === undefined ? [] : [{ device, profile }];
    });
    return {
      ...this.#start,
      links: structuredClone(this.#links) as Link[],
      routes: [...this.#routes],
      networkManager: {
        ...nm,
        profiles: [...this.#profiles],
        devices: this.#devices.map((device) => {
          const runs = this.#running.has(device.path);
          return { ...device, state: runs ? 100 : 30, activeConnection: runs ? `/active${device.path}` : null };
        }),
        activeConnections: running.map(({ device, profile }) => ({
          path: `/active${device}`,
          id: profile.id,
          uuid: profile.uuid,
          type: String(profile.settings.connection?.type?.[1]),
          profile: profile.path,
          devices: [device],
          state: 2,
          stateFlags: 0x5c,
        })),
      },
      ovs: {
        ...ovs,
        bridges: [...this.#bridges].map(([name, { profile, ports }]) => ({
          uuid: name,
          name,
          datapathType: '',
          failMode: 'standalone',
          externalIds: { 'NM.connection.uuid': profile },
          otherConfig: {},
          ports: ports.map((port) => {
            const externalIds = { 'NM.connection.uuid': port.profile };
            const face = { uuid: port.name, name: port.name, type: port.type, ofport: 1, error: null, externalIds };
            return { uuid: port.name, name: port.name, externalIds, interfaces: [face] };
          }),
        })),
      },
    };
  }

  #step(step: Step): void {
    switch (step.do) {
      case 'addProfiles':
        for (const profile of step.profiles) this.#add(profile);
        return;
      case 'updateProfiles':
      case 'commitProfiles':
        for (const profile of step.profiles) this.#replace(profile);
        return;
      case 'deleteProfiles':
        for (const { uuid } of step.profiles) this.#delete(uuid);
        return;
      case 'activate':
        for (const profile of [...step.profiles, ...(step.ports ?? [])]) this.#activate(profile);
        return;
      case 'attachUplink':
        this.#attach(step.bridge, { name: step.interface, profile: step.interfaceProfile, type: 'system' });
        return;
      case 'returnUplink':
        this.#leave(step.interface);
        this.#activate({ ...step.profile, interface: step.interface });
        return;
      case 'reapply':
        this.#configure(this.#deviceOf(step.uuid), step.settings ?? this.#profile(step.uuid).settings);
        return;
      case 'removeBridges':
        for (const name of step.bridges) this.#bridges.delete(name);
        return;
      case 'waitBindable':
      case 'waitAddresses':
        this.#mustHave(step.interface, step.addresses);
        return;
      case 'waitDynamic':
        if (step.lease && !this.#link(step.interface).addresses.some((entry) => entry.family === 4))
          throw new Error(`no lease comes on ${step.interface}`);
        return;
      default:
        // Held addresses and routes, and waits for what the model does at once.
        return;
    }
  }

  #add(wanted: WantedProfile): void {
    if (this.#profiles.some((profile) => profile.uuid === wanted.uuid))
      throw new Error(`${wanted.id} is there already`);
    this.#profiles.push(profileOf(wanted));
  }

  #replace(wanted: WantedProfile): void {
    this.#profile(wanted.uuid);
    this.#profiles = this.#profiles.map((profile) => (profile.uuid === wanted.uuid ? profileOf(wanted) : profile));
  }

  #delete(uuid: string): void {
    const { settings } = this.#profile(uuid);
    const name = String(settings.connection?.['interface-name']?.[1]);
    this.#profiles = this.#profiles.filter((profile) => profile.uuid !== uuid);
    if (typeOf(settings) === 'ovs-bridge') this.#bridges.delete(name);
    if (typeOf(settings) === 'ovs-interface') {
      this.#links = this.#links.filter((link) => link.name !== name);
      this.#dropRoutes(name);
    }
    for (const bridge of this.#bridges.values()) bridge.ports = bridge.ports.filter((port) => port.profile !== uuid);
    for (const [path, running] of this.#running) if (running === uuid) this.#stop(path);
  }

  #stop(path: string): void {
    const device = this.#devices.find((entry) => entry.path === path);
    this.#running.delete(path);
    const link = this.#links.find((entry) => entry.name === device?.interface && isKernels(device));
    if (link !== undefined) link.addresses = [];
    if (device !== undefined && isKernels(device)) this.#dropRoutes(device.interface);
    const virtual = this.#devices.findIndex((entry) => entry.path === path && !isKernels(entry));
    if (virtual >= 0) this.#devices.splice(virtual, 1);
  }

  #activate({ uuid, interface: name }: ProfileActivation): void {
    const { settings } = this.#profile(uuid);
    const own = String(settings.connection?.['interface-name']?.[1]);
    const controller = settings.connection?.master?.[1];
    switch (typeOf(settings)) {
      case 'ovs-bridge':
        if (!this.#bridges.has(own)) this.#bridges.set(own, { profile: uuid, ports: [] });
        this.#run(this.#virtual(own, 26), uuid);
        return;
      case 'ovs-port':
        this.#activateController(controller);
        this.#run(this.#virtual(own, 25), uuid);
        return;
      case 'ovs-interface': {
        this.#activateController(controller);
        this.#attach(own, { name: own, profile: uuid, type: 'internal' });
        this.#createLink(own, settings);
        this.#run(this.#virtual(own, 24), uuid);
        return;
      }
      default: {
        const device = this.#devices.find((entry) => entry.interface === (name ?? own) && isKernels(entry));
        if (device === undefined) throw new Error(`there is no device ${name ?? own}`);
        if (typeof controller === 'string') {
          this.#activateController(controller);
          const inBridge = [...this.#bridges.values()].some((one) =>
            one.ports.some((port) => port.name === device.interface),
          );
          if (!inBridge)
            this.#attach(this.#bridgeOf(controller), { name: device.interface, profile: uuid, type: 'system' });
        } else this.#leave(device.interface);
        this.#run(device, uuid);
      }
    }
  }

  #activateController(uuid: unknown): void {
    const running = [...this.#running.values()].includes(String(uuid));
    const { id } = this.#profile(String(uuid));
    if (!running) this.#activate({ id, uuid: String(uuid), interface: null });
  }

  /** The bridge an ovs-port's profile belongs to. */
  #bridgeOf(port: string): string {
    const bridge = this.#profile(String(this.#profile(port).settings.connection?.master?.[1]));
    return String(bridge.settings.connection?.['interface-name']?.[1]);
  }

  #attach(name: string, port: Port): void {
    const bridge = this.#bridges.get(name);
    if (bridge === undefined) throw new Error(`there is no bridge ${name}`);
    for (const [other, { ports }] of this.#bridges)
      if (other !== name && ports.some((entry) => entry.name === port.name))
        throw new Error(`${port.name} is in ${other}`);
    bridge.ports = [...bridge.ports.filter((entry) => entry.name !== port.name), port];
  }

  #leave(name: string): void {
    for (const bridge of this.#bridges.values()) bridge.ports = bridge.ports.filter((port) => port.name !== name);
  }

  #createLink(name: string, settings: ProfileSettings): void {
    if (this.#links.some((link) => link.name === name)) return;
    const [loopback] = this.#links;
    if (loopback === undefined) throw new Error('a node without lo');
    const mac = String(settings['802-3-ethernet']?.['assigned-mac-address']?.[1] ?? '').toLowerCase();
    this.#links.push({
      ...loopback,
      name,
      index: 90 + this.#links.length,
      mac,
      hardwareType: 1,
      mtuBytes: 1500,
      addresses: [],
    });
  }

  #virtual(name: string, type: number): NmDevice {
    const known = this.#devices.find((device) => device.interface === name && device.type === type);
    if (known !== undefined) return known;
    const path = `/device/${type}/${name}`;
    const made = {
      path,
      interface: name,
      ipInterface: name,
      type,
      state: 100,
      activeConnection: null,
      hwAddress: '',
      driver: '',
    };
    this.#devices.push(made);
    return made;
  }

  #run(device: NmDevice, uuid: string): void {
    this.#running.set(device.path, uuid);
    this.#configure(device, this.#profile(uuid).settings);
  }

  /** Gives a device what its settings say; a port has nothing. */
  #configure(device: NmDevice, settings: ProfileSettings): void {
    const link = this.#links.find((entry) => entry.name === device.interface);
    if (link === undefined || device.type === 25 || device.type === 26) return;
    const isPort = typeOf(settings) !== 'ovs-interface' && settings.connection?.master !== undefined;
    this.#dropRoutes(link.name);
    link.addresses = [];
    if (isPort) return;
    const given = this.#lan.get(link.mac) ?? { addresses: [], routes: [] };
    for (const family of [4, 6] as const) {
      const setting = settings[`ipv${family}`];
      const method = String(setting?.method?.[1]);
      if (method === 'disabled' || method === 'ignore') continue;
      const fixed = fixedAddresses(setting, family);
      const leased = ['auto', 'dhcp'].includes(method)
        ? given.addresses.filter((entry) => entry.family === family)
        : [];
      const known = new Set(fixed.map((entry) => entry.address));
      link.addresses.push(...fixed, ...structuredClone(leased.filter((entry) => !known.has(entry.address))));
      const metric = Number(setting?.['route-metric']?.[1] ?? -1);
      for (const route of given.routes)
        if (route.family === family)
          this.#routes.push({ ...route, device: link.name, metric: metric < 0 ? route.metric : metric });
    }
  }

  #dropRoutes(name: string): void {
    this.#routes = this.#routes.filter((route) => route.device !== name);
  }

  #mustHave(name: string, addresses: readonly string[]): void {
    const present = this.#link(name).addresses.map((entry) => `${entry.address}/${entry.prefixLength}`);
    const missing = addresses.filter((address) => !present.includes(address));
    if (missing.length > 0)
      throw new Error(`${name} would never have ${missing.join(', ')}; it has ${present.join(', ')}`);
  }

  #link(name: string): Link {
    const link = this.#links.find((entry) => entry.name === name);
    if (link === undefined) throw new Error(`there is no link ${name}`);
    return link as Link;
  }

  #profile(uuid: string): NmProfile {
    const profile = this.#profiles.find((entry) => entry.uuid === uuid);
    if (profile === undefined) throw new Error(`there is no profile ${uuid}`);
    return profile;
  }

  #deviceOf(uuid: string): NmDevice {
    const [path] = [...this.#running].find(([, running]) => running === uuid) ?? [];
    const device = this.#devices.find((entry) => entry.path === path);
    if (device === undefined) throw new Error(`${uuid} runs on no device`);
    return device;
  }
}

function profileOf({ id, uuid, settings }: WantedProfile): NmProfile {
  return { path: `/profile/${id}`, uuid, id, filename: '', settings: structuredClone(settings) as ProfileSettings };
}

function typeOf(settings: ProfileSettings): string {
  return String(settings.connection?.type?.[1]);
}

/** Devices the kernel has; Open vSwitch's own are NetworkManager's idea. */
function isKernels(device: NmDevice): boolean {
  return device.type < 24;
}

function fixedAddresses(setting: Readonly<Record<string, SettingValue>> | undefined, family: 4 | 6): LinkAddress[] {
  const list = (setting?.['address-data']?.[1] ?? []) as readonly Record<string, SettingValue>[];
  return list.map((entry) => address(family, String(entry.address?.[1]), Number(entry.prefix?.[1])));
}

function address(family: 4 | 6, text: string, prefixLength: number): LinkAddress {
  const flags = { tentative: false, dadFailed: false, temporary: false, deprecated: false };
  return { family, address: text, prefixLength, scope: 'global', ...flags };
}
