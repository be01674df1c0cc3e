import { announceLink } from '../drivers/host/announce-link.ts';
import type { NetworkManager } from '../drivers/networkmanager/client.ts';
import { kernelDevice } from '../drivers/networkmanager/devices.ts';
import { lacksDevice } from '../drivers/networkmanager/errors.ts';
import {
  activeInterface,
  activeState,
  deviceInterface,
  deviceState,
  rootInterface,
  rootPath,
} from '../drivers/networkmanager/names.ts';
import { activationLimitMs } from '../model/limits.ts';
import type { ProfileActivation } from '../model/plan.ts';
import type { StepContext } from './step-context.ts';

/** NetworkManager makes a device available within milliseconds; this allows for a machine on which everything else has its turn first. */
const deviceLimitMs = 20_000;

/** Activates a profile and waits until it is active. A device that NetworkManager does not have yet is waited for. */
export async function activate(context: StepContext, profile: ProfileActivation): Promise<void> {
  const { watch, deadline } = context;
  const active = await beginWithDevice(context, profile);
  if (profile.tap !== undefined) await showTap(context, active, profile.id, profile.tap);
  await watch.activated(active, profile.id, deadline, Math.min(activationLimitMs, deadline.remainingMs()));
}

/**
 * NetworkManager finds the interface of a userspace data path by the kernel's next news of it (nm-device-ovs-interface.c, _netdev_tun_link_cb),
 * from the moment on in which it would configure it. Of one that was there before there is none.
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
 * Starts an activation; where NetworkManager refuses it for want of a device, again after each of its signals. Fails with the refusal itself, where
 * the device does not come.
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
  const limitMs = Math.min(deviceLimitMs, deadline.remainingMs());
  await watch.until(`a device for ${profile.id}`, hasBegun, deadline, limitMs).catch((error: unknown) => {
    throw deadline.signal.aborted || refusal === undefined ? error : refusal;
  });
  return active;
}

/** Starts an activation and gives its active connection. */
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

/** Active connections with the profiles they run; one that ends meanwhile runs none. */
export async function activeUuids(nm: NetworkManager): Promise<readonly (readonly [path: string, uuid: string])[]> {
  const actives = (await nm.property(rootPath, rootInterface, 'ActiveConnections')) as string[];
  const uuidOf = (path: string) => nm.property(path, activeInterface, 'Uuid').catch(() => '');
  return Promise.all(actives.map(async (path) => [path, String(await uuidOf(path))] as const));
}
