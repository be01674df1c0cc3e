import type { Deadline } from '../deadline.ts';
import { holdIpv6, releaseIpv6 } from '../drivers/host/ipv6-hold.ts';
import { waitForKernel } from '../drivers/host/kernel-events.ts';
import { readLinks } from '../drivers/host/links.ts';
import { copyNeighbours } from '../drivers/host/neighbours.ts';
import { readRoutes } from '../drivers/host/routes.ts';
import type { ActivationWatch } from '../drivers/networkmanager/activation.ts';
import type { NetworkManager } from '../drivers/networkmanager/client.ts';
import { activeInterface, deviceInterface, rootInterface, rootPath } from '../drivers/networkmanager/names.ts';
import type { OpenVSwitch } from '../drivers/openvswitch/client.ts';
import { guardPort } from '../drivers/openvswitch/port-guard.ts';
import { AgentError } from '../errors.ts';
import type { ProfileActivation, Step, StepArguments, StepKind, WantedProfile } from '../model/plan.ts';

/** What steps act on. */
export interface StepContext {
  readonly nm: NetworkManager;
  readonly ovs: OpenVSwitch;
  readonly watch: ActivationWatch;
  readonly deadline: Deadline;
  /** Ends of the guards over what NetworkManager has not taken yet, by the UUID of the profile that will. */
  readonly guards: Map<string, () => void>;
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
  reapply: async ({ nm }, step) => nm.reapply(await deviceOf(nm, step.uuid), step.settings),
  waitDynamic: async (context, step) => {
    const device = await deviceOf(context.nm, step.uuid);
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
  const { nm, watch, deadline, guards } = context;
  const [path, device] = await Promise.all([
    nm.profilePathOf(profile.uuid),
    profile.interface === null ? '/' : kernelDevice(nm, profile.interface),
  ]);
  const active = await nm.activate(path, device);
  guards.get(profile.uuid)?.();
  guards.delete(profile.uuid);
  await watch.activated(active, profile.id, deadline, Math.min(activationLimitMs, deadline.remainingMs()));
}

/** Puts the NIC into the bridge; until NetworkManager has been told to take it, a guard removes it if we die. */
async function attachUplink({ ovs, guards }: StepContext, step: StepArguments['attachUplink']): Promise<void> {
  const [guard] = await Promise.all([
    guardPort(step.bridge, step.interface),
    // The moment the NIC's own addresses go, the bridge answers without having to ask for anybody first.
    copyNeighbours(step.interface, step.bridge),
  ]);
  guards.set(step.interfaceProfile, guard);
  await ovs.attachUplink(step);
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
async function deviceOf(nm: NetworkManager, uuid: string): Promise<string> {
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
