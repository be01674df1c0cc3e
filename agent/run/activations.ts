import type { NetworkManager } from '../drivers/networkmanager/client.ts';
import { kernelDevice } from '../drivers/networkmanager/devices.ts';
import { activationLimitMs } from '../model/limits.ts';
import type { ProfileActivation } from '../model/plan.ts';
import type { StepContext } from './step-context.ts';

/** Activates a profile and waits until it is active. */
export async function activate(context: StepContext, profile: ProfileActivation): Promise<void> {
  const { watch, deadline } = context;
  const active = await beginActivation(context.nm, profile);
  await watch.activated(active, profile.id, deadline, Math.min(activationLimitMs, deadline.remainingMs()));
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
