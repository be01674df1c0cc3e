import type { Deadline } from '../deadline.ts';
import { holdIpv6, releaseIpv6 } from '../drivers/host/ipv6-hold.ts';
import { waitForKernel } from '../drivers/host/kernel-events.ts';
import { readLinks } from '../drivers/host/links.ts';
import { copyNeighbours } from '../drivers/host/neighbours.ts';
import { guardPort } from '../drivers/host/port-guard.ts';
import { readRoutes } from '../drivers/host/routes.ts';
import type { ActivationWatch } from '../drivers/networkmanager/activation.ts';
import type { NetworkManager } from '../drivers/networkmanager/client.ts';
import { activeInterface, deviceInterface, rootInterface, rootPath } from '../drivers/networkmanager/names.ts';
import type { OpenVSwitch } from '../drivers/openvswitch/client.ts';
import { AgentError } from '../errors.ts';
import type { ProfileActivation, Step, StepArguments, StepKind, WantedProfile } from '../model/plan.ts';

/** What steps act on. */
export interface StepContext {
  readonly nm: NetworkManager;
  readonly ovs: OpenVSwitch;
  readonly watch: ActivationWatch;
  readonly deadline: Deadline;
  /** Activations that an earlier step began and a later one waits for: the active connection by the profile's UUID. */
  readonly begun: Map<string, Promise<string>>;
  /** Devices of active profiles, found once: the device's path by the profile's UUID. */
  readonly devices: Map<string, string>;
}

/** A context in which no step has run yet. */
export function stepContext(parts: Omit<StepContext, 'begun' | 'devices'>): StepContext {
  return { ...parts, begun: new Map(), devices: new Map() };
}

type Executor<K extends StepKind> = (context: StepContext, step: Extract<Step, { do: K }>) => Promise<void>;

/** An activation includes a DHCP exchange; servers behind relays take up to 30 s, NetworkManager itself gives up after 45 s. */
const activationLimitMs = 50_000;
/** Duplicate address detection takes 1 s per probe, plus up to 1 s of random delay (RFC 4862 section 5.4). */
const bindableLimitMs = 10_000;

/** One executor per kind of step; a kind without one does not compile. */
const executors: { readonly [K in StepKind]: Executor<K> } = {
  addProfiles: async ({ nm }, step) => {
    await Promise.all(step.profiles.map((profile) => nm.addProfile(profile.settings, 'memory')));
  },
  updateProfiles: writeProfiles,
  commitProfiles: writeProfiles,
  deleteProfiles: async ({ nm }, step) => {
    await Promise.all(step.profiles.map(async (profile) => nm.deleteProfile(await nm.profilePathOf(profile.uuid))));
  },
  activate: async (context, step) => {
    await Promise.all(step.profiles.map((profile) => activate(context, profile)));
  },
  waitBindable: async ({ deadline }, step) =>
    waitForAddresses(step.interface, step.addresses, deadline, bindableLimitMs),
  waitAddresses: async ({ deadline }, step) =>
    waitForAddresses(step.interface, step.addresses, deadline, activationLimitMs),
  holdIpv6: async (_context, step) => holdIpv6(step),
  releaseIpv6: async (_context, step) => releaseIpv6(step),
  attachUplink,
  removeBridges: async ({ ovs }, step) => ovs.removeBridges(step.bridges),
  reapply: async (context, step) => context.nm.reapply(await deviceOf(context, step.uuid), step.settings),
  waitDynamic: async (context, step) => {
    const device = await deviceOf(context, step.uuid);
    if (step.lease) await waitForLease(context, device, step.interface);
    if (step.ipv6DefaultMetric !== null)
      await waitForAdvertisedRoute(step.interface, step.ipv6DefaultMetric, context.deadline);
  },
};

/** Runs one step to its end. */
export function execute(context: StepContext, step: Step): Promise<void> {
  const executor = executors[step.do] as Executor<StepKind>;
  return executor(context, step);
}

async function writeProfiles({ nm }: StepContext, step: StepArguments['updateProfiles']): Promise<void> {
  const write = async (profile: WantedProfile): Promise<void> =>
    nm.updateProfile(await nm.profilePathOf(profile.uuid), profile.settings, step.storage);
  await Promise.all(step.profiles.map(write));
}

async function activate(context: StepContext, profile: ProfileActivation): Promise<void> {
  const { nm, watch, deadline, begun } = context;
  const earlier = begun.get(profile.uuid);
  begun.delete(profile.uuid);
  const active = await (earlier ?? (await activation(nm, profile.uuid, profile.interface))());
  await watch.activated(active, profile.id, deadline, Math.min(activationLimitMs, deadline.remainingMs()));
}

/**
 * Puts the NIC into the bridge and tells NetworkManager to take it the moment that is committed: a port NetworkManager has not been
 * told of would stay in the bridge if we died, and no checkpoint takes it back. Telling it earlier would let it collide with our
 * rows; waiting for vswitchd first would leave a tenth of a second in which a kill cuts the node off. What is left of the gap is one
 * answer of ovsdb-server, and a guard for the agent's own death in it.
 */
async function attachUplink(context: StepContext, step: StepArguments['attachUplink']): Promise<void> {
  const { nm, ovs, begun } = context;
  await ovs.probeVswitchd();
  const [begin, guard] = await Promise.all([
    activation(nm, step.interfaceProfile, step.interface),
    guardPort(step.bridge, step.interface),
    // The moment the NIC's own addresses go, the bridge answers without having to ask for anybody first.
    copyNeighbours(step.interface, step.bridge),
  ]);
  await ovs
    .attachUplink(step, () => {
      const active = begin();
      // A refusal is told by the step that waits for the activation.
      active.then(guard.release, guard.removePort);
      begun.set(step.interfaceProfile, active);
    })
    .finally(() => {
      if (!begun.has(step.interfaceProfile)) guard.removePort();
    });
}

/** Looks up what an activation needs; the function it gives sends it at once. */
async function activation(
  nm: NetworkManager,
  uuid: string,
  interfaceName: string | null,
): Promise<() => Promise<string>> {
  const [path, device] = await Promise.all([
    nm.profilePathOf(uuid),
    interfaceName === null ? '/' : kernelDevice(nm, interfaceName),
  ]);
  return () => nm.activate(path, device);
}

/** NetworkManager's object for the kernel's device of this name (OVS ports and bridges share names with it). */
async function kernelDevice(nm: NetworkManager, name: string): Promise<string> {
  const [path] = await nm.request(`find the device ${name}`, {
    path: rootPath,
    interface: rootInterface,
    member: 'GetDeviceByIpIface',
    signature: 's',
    body: [name],
  });
  return String(path);
}

/** The device an active profile runs on; three devices can have the bridge's name, so it is not looked up by name. */
async function deviceOf({ nm, devices: known }: StepContext, uuid: string): Promise<string> {
  const found = known.get(uuid);
  if (found !== undefined) return found;
  const actives = (await nm.property(rootPath, rootInterface, 'ActiveConnections')) as string[];
  const uuids = await Promise.all(actives.map((path) => nm.property(path, activeInterface, 'Uuid').catch(() => null)));
  const active = actives[uuids.indexOf(uuid)];
  const devices = active === undefined ? [] : ((await nm.property(active, activeInterface, 'Devices')) as string[]);
  const [device] = devices;
  if (device === undefined) {
    throw new AgentError('step-failed', `the profile ${uuid} is not active on any device`, {
      hint: 'look at `nmcli connection show --active` and journalctl -u NetworkManager',
    });
  }
  known.set(uuid, device);
  return device;
}

function waitForLease(context: StepContext, device: string, interfaceName: string): Promise<void> {
  const { nm, watch, deadline } = context;
  const hasLease = async (): Promise<boolean> => {
    const lease = String(await nm.property(device, deviceInterface, 'Dhcp4Config'));
    if (lease === '/') return false;
    const options = (await nm.property(lease, 'org.freedesktop.NetworkManager.DHCP4Config', 'Options')) as Record<
      string,
      unknown
    >;
    return options.ip_address !== undefined;
  };
  return watch.until(
    `a DHCP lease on ${interfaceName}`,
    hasLease,
    deadline,
    Math.min(activationLimitMs, deadline.remainingMs()),
  );
}

function waitForAdvertisedRoute(interfaceName: string, metric: number, deadline: Deadline): Promise<void> {
  const present = (): boolean =>
    readRoutes().some(
      (route) =>
        route.family === 6 && route.destination === '::/0' && route.device === interfaceName && route.metric === metric,
    );
  const timeout = () =>
    new AgentError('activation-timeout', `no router advertisement came in on ${interfaceName}`, {
      hint: 'check that the router answers router solicitations (rdisc6, radvd)',
    });
  return waitForKernel(present, deadline, Math.min(activationLimitMs, deadline.remainingMs()), timeout);
}

/** Waits until the interface has every address and each can be bound. */
export function waitForAddresses(
  interfaceName: string,
  addresses: readonly string[],
  deadline: Deadline,
  limitMs: number,
): Promise<void> {
  const missing = (): readonly string[] => {
    const entries = readLinks().find((link) => link.name === interfaceName)?.addresses ?? [];
    const bindable = entries
      .filter((entry) => !entry.tentative && !entry.dadFailed)
      .map((entry) => `${entry.address}/${entry.prefixLength}`);
    return addresses.filter((address) => !bindable.includes(address));
  };
  const timeout = () =>
    new AgentError(
      'activation-timeout',
      `${interfaceName} did not get ${missing().join(', ')} within ${Math.round(limitMs / 1000)} s`,
      {
        hint: 'look at `ip address show` for tentative or dadfailed: another host may have the same address',
      },
    );
  return waitForKernel(() => missing().length === 0, deadline, Math.min(limitMs, deadline.remainingMs()), timeout);
}
