import type { Deadline } from '../../deadline.ts';
import { releaseRoutes } from '../../drivers/host/kernel/address-hold.ts';
import {
  addToKernel,
  addToKernelInOrder,
  moveInKernel,
  removeAddresses,
  withLifetimes,
} from '../../drivers/host/kernel/change-kernel-entries.ts';
import { dropKernelAdvertised, releaseIpv6 } from '../../drivers/host/kernel/ipv6-hold.ts';
import { waitForKernel } from '../../drivers/host/kernel/kernel-events.ts';
import { placeSignpost, removeSignpost } from '../../drivers/host/kernel/place-signpost.ts';
import { readRoutes } from '../../drivers/host/kernel/routes.ts';
import { activeInterface, deviceInterface } from '../../drivers/networkmanager/nm-names.ts';
import { AgentError } from '../../errors.ts';
import { onInterface } from '../../model/kernel-entries.ts';
import { activationLimitMs, leaseLimitMs } from '../../model/limits.ts';
import type { Step, StepArguments, StepKind } from '../../model/plan.ts';
import { activate, activeUuids } from './activations.ts';
import { deleteProfiles } from './delete-profiles.ts';
import type { StepContext } from './step-context.ts';
import { attachUplink, claimBridge, clearUplink, detachUplink } from './uplink-steps.ts';
import { waitForAddresses } from './wait-addresses.ts';

type Executor<K extends StepKind> = (context: StepContext, step: Extract<Step, { do: K }>) => Promise<void>;

/** Functions that execute a step, by kind of step; a kind without a function does not compile. */
const executors: { readonly [K in StepKind]: Executor<K> } = {
  writeProfiles: async ({ nm }, step) => {
    await Promise.all(
      step.profiles.map(async ({ uuid, settings }) => {
        const path = await nm.findProfile(uuid);
        await (path === null ? nm.addProfile(settings) : nm.updateProfile(path, settings));
      }),
    );
  },
  deleteProfiles,
  activate: async (context, step) => {
    await Promise.all(step.profiles.map((profile) => activate(context, profile)));
  },
  waitAddresses: async ({ deadline }, step) => waitForAddresses(step.interface, step.addresses, deadline, step.limitMs),
  changeKernel: async (_context, { entries, removed = [], from, required }) => {
    await removeAddresses(entries.interface, removed);
    if (from !== undefined) return moveInKernel(onInterface(entries, from), entries);
    const refusal = required ? await addToKernel(await withLifetimes(entries)) : await addToKernelInOrder(entries);
    if (typeof refusal !== 'string') return;
    throw new AgentError('step-failed', `the kernel refused ${refusal}`, {
      hint: 'check that IPv6 is enabled on the node: sysctl net.ipv6.conf.all.disable_ipv6',
    });
  },
  signpost: async (_context, { wanted }) => {
    if (wanted === 'absent') return removeSignpost();
    const refusal = await placeSignpost();
    if (refusal === null) return;
    throw new AgentError('step-failed', `the kernel refused ${refusal}`, {
      hint: 'check that IPv6 is enabled, and that the kernel has its module bridge: modprobe bridge',
    });
  },
  claimBridge,
  attachUplink,
  clearUplink,
  detachUplink,
  releaseRoutes: async ({ deadline }, step) => {
    await waitForRoutes(step, deadline);
    await releaseRoutes(step);
  },
  reapply: async (context, step) => context.nm.reapply(await deviceOf(context, step.uuid), step.settings, step.uuid),
  waitDynamic,
};

/** Runs one step; resolves when the step has ended. */
export function execute(context: StepContext, step: Step): Promise<void> {
  const executor = executors[step.do] as Executor<StepKind>;
  return executor(context, step);
}

async function waitDynamic(context: StepContext, step: StepArguments['waitDynamic']): Promise<void> {
  const { nm, deadline } = context;
  if (step.lease) await waitForLease(context, await deviceOf(context, step.uuid), step.interface);
  const { ipv6DefaultMetric, heldMetric } = step;
  if (ipv6DefaultMetric !== null) await waitForAdvertisedRoute(step.interface, ipv6DefaultMetric, deadline);
  if (heldMetric !== null) await releaseIpv6({ interface: step.interface, metric: heldMetric });
  if (ipv6DefaultMetric === null && heldMetric === null) return;
  // Routes that the kernel itself has added from an advertisement are removed only after NetworkManager has handled the
  // advertisement.
  await nm.caughtUp();
  await dropKernelAdvertised(step.interface, deadline);
}

/**
 * Returns the path of the device on which a profile is active. The device is not looked up by name, because up to three
 * devices (bridge, port and interface) have the bridge's name.
 */
async function deviceOf({ nm, devices: known }: StepContext, uuid: string): Promise<string> {
  const found = known.get(uuid);
  if (found !== undefined) return found;
  const [active] = (await activeUuids(nm)).find(([, running]) => running === uuid) ?? [];
  const [device] = active === undefined ? [] : ((await nm.property(active, activeInterface, 'Devices')) as string[]);
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
    const options = (await nm.property(lease, 'org.freedesktop.NetworkManager.DHCP4Config', 'Options')) as object;
    return 'ip_address' in options;
  };
  const limitMs = Math.min(leaseLimitMs, deadline.remainingMs());
  return watch.until(`a DHCP lease on ${interfaceName}`, hasLease, deadline, limitMs);
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

function waitForRoutes(step: StepArguments['releaseRoutes'], deadline: Deadline): Promise<void> {
  const missing = (): readonly string[] => {
    const own = readRoutes().filter((route) => route.device === step.interface && route.metric !== step.metric);
    return step.destinations.filter((destination) => !own.some((route) => route.destination === destination));
  };
  const timeout = () =>
    new AgentError('activation-timeout', `${step.interface} did not get its route to ${missing().join(', ')}`, {
      hint: 'check that the DHCP server or the router answers on that LAN',
    });
  const limitMs = Math.min(activationLimitMs, deadline.remainingMs());
  return waitForKernel(() => missing().length === 0, deadline, limitMs, timeout);
}
