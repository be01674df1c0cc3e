// Simulated node that executes steps as NetworkManager and Open vSwitch would, so that a plan with a wrong assumption
// fails. Every device keeps its MAC. The LAN's leases, advertised addresses and gateways depend on the MAC, and reach
// only an interface that is connected to the LAN: a NIC that is not a port of a bridge, or a bridge that has a NIC.

import { withForeignMarks } from '../../../agent/facts/foreign.ts';
import { entriesOf, joined, type KernelEntries, noEntries } from '../../../agent/model/kernel-entries.ts';
import type { LeftBridge } from '../../../agent/model/left-bridge.ts';
import {
  type Link,
  type LinkAddress,
  type NmDevice,
  type NmProfile,
  type Observation,
  type OvsBridge,
  prefixedAddress,
  type Route,
} from '../../../agent/model/observation.ts';
import type { HeldRoute, ProfileActivation, Step, WantedProfile } from '../../../agent/model/plan.ts';
import type { ProfileSettings, SettingValue } from '../../../agent/model/profile-settings.ts';
import { linkOf } from '../link.ts';
import { linkAddress } from '../link-address.ts';
import { bridgeRow, ModelBridges } from './model-bridges.ts';
import {
  ethernetMetric,
  type Family,
  fixedAddresses,
  fixedRoutes,
  isDynamic,
  isPortOfOvs,
  profileOf,
  typeOf,
  waitsForLan,
} from './model-profiles.ts';

/** Leases and advertisements of the LAN for a MAC. */
interface Given {
  readonly addresses: readonly LinkAddress[];
  readonly routes: readonly Route[];
}

/** Profile that a device runs. */
interface Running {
  readonly uuid: string;
  readonly isExternal: boolean;
}

/**
 * State of a link: as observed, or from applied settings, with the answers of the LAN and entries that other programs
 * added.
 */
interface LinkState {
  readonly observed: Given | null;
  readonly settings: ProfileSettings | null;
  readonly answered: Set<Family>;
  held: LinkAddress[];
  heldRoutes: Route[];
}

const external = 0x80;
const [disconnected, ipConfig, activated] = [30, 70, 100];
const [ovsInterface, ovsPort, ovsBridge] = [24, 25, 26];
const disabled = { method: ['s', 'disabled'] } as const;

export class ModelNode {
  readonly #start: Observation;
  readonly #lan = new Map<string, Given>();
  #profiles: NmProfile[];
  /** Profiles that devices run, by the object paths of the devices. */
  readonly #running = new Map<string, Running>();
  #devices: NmDevice[];
  #links: Link[];
  #signpost: boolean;
  #foreign: readonly KernelEntries[];
  /** States of links, by the names of the links. */
  readonly #states = new Map<string, LinkState>();
  readonly #bridges: ModelBridges;

  /** Creates the node as it was observed. */
  constructor(observation: Observation) {
    const { networkManager: nm, links, routes, ovs } = observation;
    this.#start = observation;
    this.#profiles = [...nm.profiles];
    this.#devices = [...nm.devices];
    this.#bridges = new ModelBridges(ovs.bridges);
    this.#foreign = observation.foreign ?? [];
    this.#links = [...links];
    this.#signpost = observation.signpost === true;
    for (const link of links) {
      const own = routes.filter((route) => route.device === link.name);
      const bare = own.map((route) => this.#withoutProfile(route));
      const known = this.#lan.get(link.mac) ?? { addresses: [], routes: [] };
      const addresses = link.addresses.map((entry) => ({ ...entry, tentative: false }));
      this.#lan.set(link.mac, { addresses: [...known.addresses, ...addresses], routes: [...known.routes, ...bare] });
      this.#states.set(link.name, stateOf({ addresses: link.addresses, routes: own }, null));
    }
    for (const device of nm.devices) {
      const active = nm.activeConnections.find((entry) => entry.path === device.activeConnection);
      if (active === undefined) continue;
      this.#running.set(device.path, { uuid: active.uuid, isExternal: (active.stateFlags & external) !== 0 });
    }
  }

  /** Creates the observed node with only those entries on its NICs that their profiles and the LAN provide. */
  static configured(observation: Observation): ModelNode {
    const node = new ModelNode(observation);
    for (const device of node.#devices) {
      const running = node.#running.get(device.path);
      if (running !== undefined) node.#configure(device, node.#profile(running.uuid).settings);
    }
    node.#hearLan();
    return node;
  }

  /** Runs all steps; calls `after` after each. */
  run(steps: readonly Step[], after: (step: Step) => void = () => undefined): void {
    for (const step of steps) {
      this.#step(step);
      this.#hearLan();
      after(step);
    }
  }

  // Changes of a node by other programs than the agent.

  deleteProfile(uuid: string): void {
    this.#delete(uuid);
    this.#hearLan();
  }

  /** Has the effect of `nmcli connection down`. */
  down(uuid: string): void {
    for (const [path, running] of [...this.#running]) if (running.uuid === uuid) this.#stop(path);
    this.#hearLan();
  }

  changeProfile(uuid: string, setting: string, key: string, value: SettingValue): void {
    const { settings } = this.#profile(uuid);
    const changed = { ...settings, [setting]: { ...settings[setting], [key]: value } };
    this.#profiles = this.#profiles.map((entry) => (entry.uuid === uuid ? { ...entry, settings: changed } : entry));
  }

  addProfile(profile: NmProfile): void {
    this.#profiles.push(profile);
  }

  /** Has the effect of `ovs-vsctl add-port`. */
  addPort(bridge: string, name: string): void {
    if (this.#bridges.bridgeWith(name) === undefined) this.#bridges.addPort(bridge, name, 'system');
  }

  /** Has the effect of `ovs-vsctl del-port`. */
  removePort(name: string): void {
    this.#bridges.removePort(name);
    this.#hearLan();
  }

  /** Has the effect of `ovs-vsctl del-br`, which also removes NetworkManager's interface. */
  removeBridge(name: string): void {
    this.#bridges.remove(name);
    for (const device of this.#devices.filter((entry) => entry.interface === name)) this.#stop(device.path);
    this.#hearLan();
  }

  /** Has the effect of `nmcli connection up`, or of a cable that is connected again. */
  start(uuid: string, name: string): void {
    this.#activate({ id: '', uuid, interface: name });
    this.#hearLan();
  }

  /** Has the effect of `nmcli device disconnect`. */
  disconnect(name: string): void {
    const device = this.#kernelDevice(name);
    this.#stop(device.path);
    this.#hearLan();
  }

  /**
   * Has the effect of a restart of NetworkManager: its bridges stay as they are but lose its marks, and its NICs are
   * configured by their profiles.
   */
  restartNetworkManager(): void {
    const { links, routes } = this.observe();
    for (const [path, { uuid, isExternal }] of [...this.#running]) {
      if (isExternal) continue;
      const device = this.#devices.find((entry) => entry.path === path);
      if (device === undefined) continue;
      if (isKernels(device)) {
        this.#run(device, uuid);
        continue;
      }
      this.#running.delete(path);
      this.#devices = this.#devices.filter((entry) => entry !== device);
      if (device.type !== ovsInterface) continue;
      this.#bridges.mark(device.interface, undefined, undefined, undefined);
      const addresses = links.find((link) => link.name === device.interface)?.addresses ?? [];
      const own = routes.filter((route) => route.device === device.interface);
      this.#states.set(device.interface, stateOf({ addresses, routes: own }, null));
    }
    this.#hearLan();
  }

  setMac(name: string, mac: string): void {
    this.#links = this.#links.map((link) => (link.name === name ? { ...link, mac } : link));
  }

  observe(): Observation {
    const { networkManager: nm, ovs } = this.#start;
    const inBridge = (name: string): boolean => {
      const bridge = this.#bridges.bridgeWith(name);
      return bridge !== undefined && bridge.name !== name;
    };
    const started = new Map(nm.devices.map((device) => [device.path, device]));
    const managed = this.#devices.flatMap((device) => {
      const running = this.#running.get(device.path);
      const profile = this.#profiles.find((entry) => entry.uuid === running?.uuid);
      return running === undefined || profile === undefined ? [] : [{ device, running, profile }];
    });
    return {
      ...withoutSignpost(this.#start),
      ...(this.#signpost ? { signpost: true as const } : {}),
      ...(this.#foreign.length === 0 ? {} : { foreign: this.#foreign }),
      links: withForeignMarks(
        this.#links.map((link) => ({
          ...link,
          master: inBridge(link.name) ? 'ovs-system' : link.master === 'ovs-system' ? null : link.master,
          addresses: this.#addresses(link),
        })),
        this.#foreign,
      ),
      routes: this.#links.flatMap((link) => this.#routes(link)).toSorted(inKernelOrder),
      networkManager: {
        ...nm,
        profiles: [...this.#profiles],
        devices: this.#devices.map((device) => {
          const idle = started.get(device.path)?.state ?? disconnected;
          const state = this.#running.has(device.path)
            ? this.#progress(device)
            : idle < activated
              ? idle
              : disconnected;
          return { ...device, state, activeConnection: this.#running.has(device.path) ? activePath(device) : null };
        }),
        activeConnections: managed.map(({ device, running, profile }) => ({
          path: activePath(device),
          id: profile.id,
          uuid: profile.uuid,
          type: String(profile.settings.connection?.type?.[1]),
          profile: profile.path,
          devices: [device.path],
          state: this.#progress(device) === activated ? 2 : 1,
          stateFlags: running.isExternal ? 0xdc : 0x5c,
        })),
      },
      ovs: { ...ovs, bridges: this.#bridges.rows() },
    };
  }

  #step(step: Step): void {
    switch (step.do) {
      case 'writeProfiles':
        for (const profile of step.profiles) this.#write(profile);
        return;
      case 'deleteProfiles': {
        const kept = this.#bridges.rows().filter((row) => step.left?.some(({ bridge }) => bridge === row.name));
        for (const { uuid } of step.profiles) this.#delete(uuid);
        for (const name of step.bridges) {
          this.#bridges.remove(name);
          this.#dropLink(name);
        }
        for (const left of step.left ?? [])
          this.#leave(
            left,
            kept.find((row) => row.name === left.bridge),
          );
        return;
      }
      case 'activate':
        for (const profile of step.profiles) this.#begin(profile);
        return;
      case 'claimBridge': {
        const { bridge, port, interface: face } = step.profiles;
        this.#bridges.mark(step.bridge, bridge, port, face);
        if (step.row !== undefined) this.#bridges.rekey(step.bridge, step.row);
        if (step.row?.otherConfig.hwaddr !== undefined) this.setMac(step.bridge, step.row.otherConfig.hwaddr);
        return;
      }
      case 'attachUplink':
        this.#bridges.addPort(step.bridge, step.interface, 'system');
        return;
      case 'clearUplink': {
        const device = this.#kernelDevice(step.interface);
        if (step.profile !== null) this.#activate({ ...step.profile, interface: step.interface });
        const running = this.#running.get(device.path);
        if (running === undefined) throw new Error(`${step.interface} runs nothing that could be cleared`);
        if (running.isExternal) throw new Error(`${step.interface} is configured by another program`);
        this.#configure(device, { ...this.#profile(running.uuid).settings, ipv4: disabled, ipv6: disabled });
        return;
      }
      case 'detachUplink':
        this.#detach(step);
        return;
      case 'reapply': {
        const device = this.#deviceOf(step.uuid);
        this.#configure(device, step.settings ?? this.#profile(step.uuid).settings, this.#held(device.interface));
        return;
      }
      case 'waitAddresses':
        this.#mustHave(step.interface, step.addresses);
        return;
      case 'changeKernel': {
        const { interface: name, addresses, routes } = step.entries;
        this.#forget(name, step.removed ?? []);
        if (step.from !== undefined) this.#move(step.from, step.entries);
        if (name === 'lo') this.#foreign = givenToLoopback(this.#foreign, addresses);
        const held = addresses.map(({ address }) => address);
        this.#hold(name, held, [], 0);
        for (const route of routes) if (route.table === null) this.#hold(name, [], [route], route.metric ?? 0);
        return;
      }
      case 'signpost':
        this.#signpost = step.wanted === 'present';
        return;
      case 'releaseRoutes': {
        const own = this.#routes(this.#link(step.interface)).filter((route) => route.metric !== step.metric);
        const missing = step.destinations.filter((to) => !own.some((route) => route.destination === to));
        if (missing.length > 0) throw new Error(`${step.interface} never gets a route to ${missing.join(', ')}`);
        this.#release(step.interface, step.metric);
        return;
      }
      case 'waitDynamic': {
        if (step.lease && !this.#hasLease(step.interface)) throw new Error(`no lease comes on ${step.interface}`);
        const routes = this.#routes(this.#link(step.interface));
        const isAdvertised = (route: Route): boolean =>
          route.destination === '::/0' && route.metric === step.ipv6DefaultMetric;
        if (step.ipv6DefaultMetric !== null && !routes.some(isAdvertised))
          throw new Error(`no advertised route comes on ${step.interface}`);
        if (step.heldMetric !== null) this.#release(step.interface, step.heldMetric);
        return;
      }
      default:
        throw new Error(`the model does not know ${JSON.stringify(step satisfies never)}`);
    }
  }

  #detach(step: Extract<Step, { do: 'detachUplink' }>): void {
    const device = this.#kernelDevice(step.interface);
    if (step.activate) this.#activate({ ...step.profile, interface: step.interface });
    else {
      if (this.#running.get(device.path)?.uuid !== step.profile.uuid)
        throw new Error(`${step.interface} does not run ${step.profile.id}`);
      this.#configure(device, this.#profile(step.profile.uuid).settings, this.#held(step.interface));
    }
    this.#hold(step.interface, step.addresses, step.routes, step.metric);
    this.#mustHave(step.interface, step.addresses);
    const bridge = this.#bridges.bridgeWith(step.interface);
    if (bridge !== undefined && bridge.name !== step.bridge)
      throw new Error(`${step.interface} is in ${bridge.name}, not in ${step.bridge}`);
    this.#bridges.removePort(step.interface);
  }

  #write(wanted: WantedProfile): void {
    this.#profiles = [...this.#profiles.filter((profile) => profile.uuid !== wanted.uuid), profileOf(wanted)];
  }

  #release(name: string, metric: number): void {
    const state = this.#state(name);
    state.heldRoutes = state.heldRoutes.filter((route) => route.metric !== metric);
  }

  #delete(uuid: string): void {
    this.#profile(uuid);
    for (const [path, running] of [...this.#running]) if (running.uuid === uuid) this.#stop(path);
    this.#profiles = this.#profiles.filter((profile) => profile.uuid !== uuid);
  }

  /**
   * Ends the profile that a device runs, and those of its ports; removes NetworkManager's rows for them from Open
   * vSwitch.
   */
  #stop(path: string): void {
    const device = this.#devices.find((entry) => entry.path === path);
    const running = this.#running.get(path);
    if (device === undefined || running === undefined) return;
    this.#running.delete(path);
    const profile = this.#profiles.find((entry) => entry.uuid === running.uuid);
    const isBelow = ({ uuid }: Running): boolean => {
      const controller = this.#profiles.find((entry) => entry.uuid === uuid)?.settings.connection?.master?.[1];
      return controller === running.uuid || (controller !== undefined && controller === profile?.id);
    };
    for (const [below, entry] of [...this.#running]) if (isBelow(entry)) this.#stop(below);
    // An ovs-port can have the same name as its NIC.
    if (isKernels(device) || device.type === ovsInterface) this.#states.set(device.interface, stateOf(null, null));
    if (running.isExternal) this.#profiles = this.#profiles.filter((entry) => entry !== profile);
    if (profile !== undefined && isPortOfOvs(profile)) this.#bridges.removeOwnPort(device.interface);
    if (isKernels(device)) return;
    this.#devices = this.#devices.filter((entry) => entry !== device);
    if (device.type === ovsBridge) this.#bridges.remove(device.interface);
    else this.#bridges.removeOwnPort(device.interface);
    if (device.type === ovsInterface) this.#dropLink(device.interface);
  }

  /** Activates a profile as a step does, and waits for the end of the activation unless the step says otherwise. */
  #begin(profile: ProfileActivation): void {
    this.#activate(profile);
    const { held } = profile;
    if (held !== undefined) {
      const addresses = held.addresses.map(({ address }) => address);
      this.#hold(held.interface, addresses, held.routes, held.routes[0]?.metric ?? 0);
    }
    const device = this.#devices.find(({ path }) => this.#running.get(path)?.uuid === profile.uuid);
    if (device?.type !== ovsInterface || profile.needsPort === true || this.#isReached(device.interface)) return;
    const { settings } = this.#state(device.interface);
    if (settings !== null && waitsForLan(settings, new Set()))
      throw new Error(
        `${device.interface} has only what the LAN gives, and reaches none: ${profile.id} never gets active`,
      );
  }

  #activate({ uuid, interface: name }: Pick<ProfileActivation, 'id' | 'uuid' | 'interface'>): void {
    const { settings } = this.#profile(uuid);
    const own = String(settings.connection?.['interface-name']?.[1]);
    const controller = settings.connection?.master?.[1];
    switch (typeOf(settings)) {
      case 'ovs-bridge':
        this.#bridges.addOfProfile(own, uuid, settings);
        this.#run(this.#virtual(own, ovsBridge), uuid);
        return;
      case 'ovs-port':
        this.#activateController(controller);
        this.#run(this.#virtual(own, ovsPort), uuid);
        return;
      case 'ovs-interface':
        this.#activateController(controller);
        this.#bridges.addInternal(own, String(controller), uuid);
        this.#createLink(own, settings);
        this.#run(this.#virtual(own, ovsInterface), uuid);
        return;
      default:
        this.#run(this.#kernelDevice(name ?? own), uuid);
    }
  }

  #activateController(uuid: unknown): void {
    const isRunning = [...this.#running.values()].some((running) => running.uuid === uuid);
    const { id } = this.#profile(String(uuid));
    if (!isRunning) this.#activate({ id, uuid: String(uuid), interface: null });
  }

  #run(device: NmDevice, uuid: string): void {
    const before = this.#running.get(device.path);
    if (before !== undefined && before.uuid !== uuid && isKernels(device)) this.#stop(device.path);
    this.#running.set(device.path, { uuid, isExternal: false });
    this.#configure(device, this.#profile(uuid).settings);
  }

  /** Configures a device according to its settings; a port has no addresses. */
  #configure(device: NmDevice, settings: ProfileSettings, held: readonly LinkAddress[] = []): void {
    if (device.type === ovsPort || device.type === ovsBridge) return;
    // NetworkManager sets a link up when it configures it.
    this.#links = this.#links.map((link) => (link.name === device.interface ? { ...link, up: true } : link));
    const isPort = typeOf(settings) !== 'ovs-interface' && settings.connection?.master !== undefined;
    const routes = held.length === 0 ? [] : (this.#states.get(device.interface)?.heldRoutes ?? []);
    const state = stateOf(null, isPort ? null : settings);
    this.#states.set(device.interface, { ...state, held: [...held], heldRoutes: [...routes] });
  }

  /** Marks each family that the LAN configures as answered, for every interface that is connected to the LAN. */
  #hearLan(): void {
    for (const [name, state] of this.#states) {
      if (!this.#isReached(name)) continue;
      for (const family of [4, 6] as const) if (isDynamic(state.settings, family)) state.answered.add(family);
    }
  }

  #isReached(name: string): boolean {
    const own = this.#bridges.rows().find((bridge) => bridge.name === name);
    if (own === undefined) return this.#bridges.bridgeWith(name) === undefined;
    return own.ports.some((port) => port.interfaces.some((row) => row.type === 'system' || row.type === ''));
  }

  #addresses(link: Link): LinkAddress[] {
    const state = this.#state(link.name);
    const own = state.observed?.addresses ?? ([4, 6] as const).flatMap((family) => this.#configured(link, family));
    return unique([...own, ...state.held]);
  }

  #configured(link: Link, family: Family): readonly LinkAddress[] {
    const { settings, answered } = this.#state(link.name);
    const fixed = fixedAddresses(settings?.[`ipv${family}`]);
    const given = this.#lan.get(link.mac)?.addresses ?? [];
    return answered.has(family) ? [...fixed, ...given.filter((entry) => entry.family === family)] : fixed;
  }

  #routes(link: Link): Route[] {
    const { observed, settings, answered, heldRoutes } = this.#state(link.name);
    if (observed !== null) return [...observed.routes, ...heldRoutes];
    const given = this.#lan.get(link.mac)?.routes ?? [];
    const own = ([4, 6] as const).flatMap((family): readonly Route[] => {
      const setting = settings?.[`ipv${family}`];
      const metric = Number(setting?.['route-metric']?.[1] ?? -1);
      // The kernel adds routes to the networks of the addresses.
      const connected = (route: Route): boolean =>
        route.gateway === null && !route.destination.endsWith('/0') && this.#configured(link, family).length > 0;
      const ofProfile = (route: Route): Route => ({ ...route, metric: metric < 0 ? route.metric : metric });
      return [
        ...given
          .filter((route) => route.family === family && (answered.has(family) || connected(route)))
          .map(ofProfile),
        ...(answered.has(family) ? [] : fixedRoutes(setting, family, given, ofProfile)),
      ].map((route) => ({ ...route, device: link.name }));
    });
    const seen = new Map([...own, ...heldRoutes].map((route) => [JSON.stringify(route), route]));
    return [...seen.values()];
  }

  /** Returns an observed route with the metric that it would have without the running profile's metric. */
  #withoutProfile(route: Route): Route {
    const { profiles, activeConnections } = this.#start.networkManager;
    const device = this.#devices.find(
      (one) => one.interface === route.device && ![ovsBridge, ovsPort].includes(one.type),
    );
    const active = activeConnections.find(({ path }) => path === device?.activeConnection);
    const running = profiles.find(({ uuid }) => uuid === active?.uuid);
    const metric = running?.settings[`ipv${route.family}`]?.['route-metric']?.[1];
    return Number(metric) === route.metric ? { ...route, metric: ethernetMetric } : route;
  }

  /**
   * Returns the state of a device: NetworkManager reports a NIC as active only after its first lease or advertisement.
   */
  #progress(device: NmDevice): number {
    const { settings, answered } = this.#states.get(device.interface) ?? stateOf(null, null);
    if (!isKernels(device) || settings === null) return activated;
    return waitsForLan(settings, answered) ? ipConfig : activated;
  }

  #hasLease(name: string): boolean {
    const { observed, answered } = this.#state(name);
    const addresses = this.#addresses(this.#link(name));
    return observed !== null || (answered.has(4) && addresses.some((entry) => entry.family === 4));
  }

  #hold(name: string, addresses: readonly string[], routes: readonly HeldRoute[], metric: number): void {
    const state = this.#state(name);
    const present = this.#addresses(this.#link(name)).map(prefixedAddress);
    const missing = addresses.filter((entry) => !present.includes(entry));
    state.held = [...state.held, ...missing.map(linkAddress)];
    const held = routes.map(({ destination, gateway }): Route => {
      return { family: destination.includes(':') ? 6 : 4, destination, gateway, device: name, metric };
    });
    state.heldRoutes = [...state.heldRoutes, ...held];
  }

  #held(name: string): readonly LinkAddress[] {
    return this.#states.get(name)?.held ?? [];
  }

  /** Removes addresses of other programs from a link. */
  #forget(name: string, removed: readonly string[]): void {
    if (removed.length > 0) {
      const stays = (entry: LinkAddress): boolean => !removed.includes(prefixedAddress(entry));
      const state = this.#state(name);
      const { observed, held } = state;
      const left = observed === null ? null : { ...observed, addresses: observed.addresses.filter(stays) };
      this.#states.set(name, { ...state, observed: left, held: held.filter(stays) });
    }
    this.#foreign = this.#foreign.map((entries) =>
      entries.interface === name
        ? { ...entries, addresses: entries.addresses.filter(({ address }) => !removed.includes(address)) }
        : entries,
    );
  }

  /** Moves entries of other programs from one interface to another. */
  #move(from: string, entries: KernelEntries): void {
    const { interface: to, addresses, routes } = entries;
    const state = this.#state(from);
    const isMoved = (entry: LinkAddress): boolean =>
      addresses.some(({ address }) => address === prefixedAddress(entry)) && entry.foreign === true;
    if (state.observed !== null) {
      const kept = state.observed.addresses.filter((entry) => !isMoved(entry));
      this.#states.set(from, { ...state, observed: { ...state.observed, addresses: kept } });
    }
    const destinations = routes.map(({ destination }) => destination);
    state.heldRoutes = state.heldRoutes.filter(({ destination }) => !destinations.includes(destination));
    const others = this.#foreign.filter((one) => one.interface !== from && one.interface !== to);
    this.#foreign = [...others, joined(entries, entriesOf(to, { foreign: this.#foreign }))];
  }

  /** Removes NetworkManager's mark from a bridge, and adds the bridge's foreign ports. */
  #leave({ bridge, externalIds, otherConfig }: LeftBridge, before: OvsBridge | undefined): void {
    const others = before?.ports.filter((port) => port.name !== bridge) ?? [];
    const row = { ...bridgeRow(bridge, '', {}), ports: others, externalIds, otherConfig };
    this.#bridges.put(row);
    this.#bridges.addPort(bridge, bridge, 'internal');
    this.#dropLink(bridge);
    const mac = otherConfig.hwaddr ?? '';
    this.#createLink(bridge, { '802-3-ethernet': { 'assigned-mac-address': ['s', mac] } });
  }

  #createLink(name: string, settings: ProfileSettings): void {
    if (this.#links.some((link) => link.name === name)) return;
    const ethernet = settings['802-3-ethernet'];
    const index = 90 + this.#links.length;
    const mac = String(ethernet?.['assigned-mac-address']?.[1] ?? '').toLowerCase();
    this.#links.push(linkOf(name, [], { index, mac, mtuBytes: Number(ethernet?.mtu?.[1] ?? 1500) }));
  }

  #dropLink(name: string): void {
    this.#links = this.#links.filter((link) => link.name !== name);
    this.#states.delete(name);
  }

  #virtual(name: string, type: number): NmDevice {
    const known = this.#devices.find((device) => device.interface === name && device.type === type);
    if (known !== undefined) return known;
    const path = `/device/${type}/${name}`;
    const made: NmDevice = {
      path,
      interface: name,
      ipInterface: name,
      type,
      state: activated,
      activeConnection: null,
      hwAddress: '',
      driver: 'openvswitch',
    };
    this.#devices.push(made);
    return made;
  }

  #mustHave(name: string, addresses: readonly string[]): void {
    const present = this.#addresses(this.#link(name)).map(prefixedAddress);
    const missing = addresses.filter((address) => !present.includes(address));
    if (missing.length > 0)
      throw new Error(`${name} would never have ${missing.join(', ')}; it has ${present.join(', ')}`);
  }

  #state(name: string): LinkState {
    const known = this.#states.get(name);
    if (known !== undefined) return known;
    const made = stateOf(null, null);
    this.#states.set(name, made);
    return made;
  }

  #link(name: string): Link {
    const link = this.#links.find((entry) => entry.name === name);
    if (link === undefined) throw new Error(`there is no link ${name}`);
    return link;
  }

  #profile(uuid: string): NmProfile {
    const profile = this.#profiles.find((entry) => entry.uuid === uuid);
    if (profile === undefined) throw new Error(`there is no profile ${uuid}`);
    return profile;
  }

  #kernelDevice(name: string): NmDevice {
    const device = this.#devices.find((entry) => entry.interface === name && isKernels(entry));
    if (device === undefined) throw new Error(`there is no device ${name}`);
    return device;
  }

  #deviceOf(uuid: string): NmDevice {
    const [path] = [...this.#running].find(([, running]) => running.uuid === uuid) ?? [];
    const device = this.#devices.find((entry) => entry.path === path);
    if (device === undefined) throw new Error(`${uuid} runs on no device`);
    return device;
  }
}

function stateOf(observed: Given | null, settings: ProfileSettings | null): LinkState {
  return { observed, settings, answered: new Set(), held: [], heldRoutes: [] };
}

function activePath(device: NmDevice): string {
  return `/active${device.path}`;
}

/** Returns true for a device of the kernel; false for one of Open vSwitch, which exists only in NetworkManager. */
function isKernels(device: NmDevice): boolean {
  return ![ovsInterface, ovsPort, ovsBridge].includes(device.type);
}

function unique(addresses: readonly LinkAddress[]): LinkAddress[] {
  const texts = addresses.map(prefixedAddress);
  return addresses.filter((entry, index) => texts.indexOf(prefixedAddress(entry)) === index);
}

/** Returns the entries with these addresses on lo, to which only programs other than NetworkManager add addresses. */
function givenToLoopback(
  foreign: readonly KernelEntries[],
  given: KernelEntries['addresses'],
): readonly KernelEntries[] {
  const own = foreign.find((entries) => entries.interface === 'lo') ?? noEntries('lo');
  const kept = own.addresses.filter(({ address }) => !given.some((entry) => entry.address === address));
  const addresses = [...kept, ...given];
  const others = foreign.filter((entries) => entries !== own);
  return addresses.length === 0 ? others : [...others, { ...own, addresses }];
}

function withoutSignpost({ signpost: _, ...observation }: Observation): Observation {
  return observation;
}

/** Compares routes by the kernel's order: IPv4 first, and of routes with one destination the preferred one first. */
function inKernelOrder(one: Route, other: Route): number {
  if (one.family !== other.family) return one.family - other.family;
  return one.destination === other.destination ? one.metric - other.metric : 0;
}
