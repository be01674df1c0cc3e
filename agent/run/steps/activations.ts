import type { Deadline } from '../../deadline.ts';
import { announceLink } from '../../drivers/host/kernel/announce-link.ts';
import { addToKernel, withLifetimes } from '../../drivers/host/kernel/change-kernel-entries.ts';
import { disableDetection } from '../../drivers/host/kernel/ipv6-settings.ts';
import { waitForKernel } from '../../drivers/host/kernel/kernel-events.ts';
import { readLinks } from '../../drivers/host/kernel/links.ts';
import { keepNeighbours } from '../../drivers/host/kernel/neighbours.ts';
import { kernelDevice } from '../../drivers/networkmanager/devices.ts';
import type { NetworkManager } from '../../drivers/networkmanager/nm-client.ts';
import { lacksDevice } from '../../drivers/networkmanager/nm-errors.ts';
import {
  activeInterface,
  activeState,
  deviceInterface,
  deviceState,
  rootInterface,
  rootPath,
} from '../../drivers/networkmanager/nm-names.ts';
import { AgentError } from '../../errors.ts';
import type { KernelEntries } from '../../model/kernel-entries.ts';
import { activationLimitMs } from '../../model/limits.ts';
import { addressesOf } from '../../model/observation.ts';
import type { ProfileActivation } from '../../model/plan.ts';
import { isLinkLocal6 } from '../../net/address.ts';
import type { StepContext } from './step-context.ts';

/**
 * Time limit for NetworkManager to have a device for an interface. NetworkManager takes milliseconds; the limit allows
 * for a machine under full load.
 */
const deviceLimitMs = 20_000;
/** Time limit for the link-local address of an interface. NetworkManager adds it within milliseconds. */
const linkLocalLimitMs = 2_000;

/**
 * Activates a profile and waits until it is active. A profile with `needsPort` becomes active only when the bridge has
 * a NIC as a port. The function does not wait for that, and returns as soon as NetworkManager configures the interface.
 * Waits for the device first if NetworkManager does not have it yet.
 */
export async function activate(context: StepContext, profile: ProfileActivation): Promise<void> {
  const { watch, deadline } = context;
  const { id, tap, needsPort = false, undetected } = profile;
  const held = profile.held === undefined ? undefined : await withLifetimes(profile.held);
  const restarted = undetected ?? held?.interface;
  const addNeighbours = restarted === undefined ? () => Promise.resolve() : await keepNeighbours(restarted);
  const detectAgain = undetected === undefined ? () => undefined : disableDetection(undetected);
  let isOver = false;
  try {
    const active = await beginWithDevice(context, profile);
    if (tap !== undefined) await showTap(context, active, id, tap);
    const limitMs = Math.min(activationLimitMs, deadline.remainingMs());
    const activated = async (): Promise<void> => {
      await watch.activated(active, id, deadline, limitMs);
      isOver = true;
    };
    const given = held === undefined ? Promise.resolve() : giveRemoved(held, () => isOver, deadline, limitMs);
    await Promise.all([given.then(addNeighbours), ...(needsPort ? [] : [activated()])]);
    if (undetected === undefined) return;
    await ipv6Begun(undetected, deadline);
    await addNeighbours();
  } finally {
    isOver = true;
    detectAgain();
  }
}

/**
 * Waits until an interface has a link-local address, which shows that NetworkManager has begun to configure IPv6. The
 * static addresses of the profile then exist. Returns without an error at the time limit.
 */
async function ipv6Begun(interfaceName: string, deadline: Deadline): Promise<void> {
  const hasBegun = (): boolean => ipv6Of(interfaceName).some(isLinkLocal6);
  const none = new AgentError('activation-timeout', `${interfaceName} has no link-local address`);
  await waitForKernel(hasBegun, deadline, linkLocalLimitMs, () => none).catch((error: unknown) => {
    if (error !== none) throw error;
  });
}

/** Returns the IPv6 addresses of an interface, as `address/prefix`. */
function ipv6Of(interfaceName: string): readonly string[] {
  const link = readLinks().find(({ name }) => name === interfaceName);
  return link === undefined ? [] : addressesOf(link, ({ family }) => family === 6);
}

/**
 * Adds the held IPv6 addresses and routes to an interface. NetworkManager removes all IPv6 addresses before it begins
 * to configure IPv6 (nm-device.c, _dev_addrgenmode6_set), and the first address that it then adds is the link-local
 * one. The function therefore waits for the link-local address. Returns without adding anything if `isOver` becomes
 * true first.
 */
async function giveRemoved(
  held: KernelEntries,
  isOver: () => boolean,
  deadline: Deadline,
  limitMs: number,
): Promise<void> {
  const isRemoved = (): boolean => {
    const present = ipv6Of(held.interface);
    return present.some(isLinkLocal6) && held.addresses.some(({ address }) => !present.includes(address));
  };
  const timeout = () =>
    new AgentError('activation-timeout', `NetworkManager did not begin IPv6 on ${held.interface}`, {
      hint: 'look at journalctl -u NetworkManager for why, then run it again',
    });
  await waitForKernel(() => isOver() || isRemoved(), deadline, limitMs, timeout);
  if (!isRemoved()) return;
  const refusal = await addToKernel(held);
  if (refusal === null) return;
  throw new AgentError('step-failed', `the kernel refused ${refusal}`, {
    hint: 'check that IPv6 is enabled on the node: sysctl net.ipv6.conf.all.disable_ipv6',
  });
}

/**
 * Makes the kernel send a netlink message about the tap of a userspace data path. NetworkManager recognizes the tap by
 * such a message once it is ready to configure the interface (nm-device-ovs-interface.c, _netdev_tun_link_cb), and the
 * kernel sends none for a tap that already exists.
 */
async function showTap({ nm, watch, deadline }: StepContext, active: string, what: string, tap: string): Promise<void> {
  const isWaiting = async (): Promise<boolean> => {
    const state = await nm.property(active, activeInterface, 'State').catch(() => activeState.deactivated);
    if (state === activeState.deactivated) return true;
    const [device] = (await nm.property(active, activeInterface, 'Devices')) as string[];
    return device !== undefined && Number(await nm.property(device, deviceInterface, 'State')) >= deviceState.ipConfig;
  };
  await watch.until(`the configuration of ${what}`, isWaiting, deadline, activationLimitMs);
  await announceLink(tap);
}

/**
 * Starts an activation. If NetworkManager refuses it because the device is missing, tries again after each signal of
 * NetworkManager. Fails with the refusal if the device does not appear within the time limit. Subscribes to signals
 * only after a refusal, because NetworkManager mostly has the device already.
 */
async function beginWithDevice({ nm, watch, deadline }: StepContext, profile: ProfileActivation): Promise<string> {
  let active = '';
  let refusal: unknown;
  const hasBegun = async (): Promise<boolean> => {
    try {
      active = await beginActivation(nm, profile);
      return true;
    } catch (error) {
      if (!lacksDevice(error)) throw error;
      refusal = error;
      return false;
    }
  };
  if (await hasBegun()) return active;
  const limitMs = Math.min(deviceLimitMs, deadline.remainingMs());
  await watch.until(`a device for ${profile.id}`, hasBegun, deadline, limitMs).catch((error: unknown) => {
    throw deadline.signal.aborted ? error : refusal;
  });
  return active;
}

/** Starts an activation and returns the path of its active connection. */
export async function beginActivation(
  nm: NetworkManager,
  { uuid, interface: interfaceName }: Pick<ProfileActivation, 'uuid' | 'interface'>,
): Promise<string> {
  const [path, device] = await Promise.all([
    nm.profilePathOf(uuid),
    interfaceName === null ? '/' : kernelDevice(nm, interfaceName),
  ]);
  return nm.activate(path, device);
}

/**
 * Returns the active connections with the UUID of their profile; the UUID is empty if the connection has just ended.
 */
export async function activeUuids(nm: NetworkManager): Promise<readonly (readonly [path: string, uuid: string])[]> {
  const actives = (await nm.property(rootPath, rootInterface, 'ActiveConnections')) as string[];
  const uuidOf = (path: string) => nm.property(path, activeInterface, 'Uuid').catch(() => '');
  return Promise.all(actives.map(async (path) => [path, String(await uuidOf(path))] as const));
}
