import { throwIfStopped } from '../deadline.ts';
import type { NetworkManager } from '../drivers/networkmanager/client.ts';
import { rootInterface, rootPath } from '../drivers/networkmanager/names.ts';
import { AgentError, asAgentError } from '../errors.ts';
import type { ProfileActivation } from '../model/plan.ts';
import type { StepContext } from './execute.ts';

/** An activation includes a DHCP exchange; servers behind relays take up to 30 s, NetworkManager itself gives up after 45 s. */
export const activationLimitMs = 50_000;

/** What activations need of a step's context. */
type ActivationContext = Pick<StepContext, 'nm' | 'watch' | 'deadline' | 'begun'>;

/** Activates a profile, or waits for the activation an earlier step began. */
export async function activate(context: ActivationContext, profile: ProfileActivation): Promise<void> {
  const { nm, watch, deadline, begun } = context;
  const earlier = begun.get(profile.uuid);
  begun.delete(profile.uuid);
  const active = await (earlier ?? (await activation(nm, profile))());
  await watch.activated([active], profile.id, deadline, Math.min(activationLimitMs, deadline.remainingMs()));
}

/** Activates the profile of a controller and, in the same instant, those of its ports: one of them that comes up is enough. */
export async function activateWithPorts(
  context: ActivationContext,
  profiles: readonly ProfileActivation[],
  ports: readonly ProfileActivation[],
): Promise<void> {
  const { begun } = context;
  if (!ports.some((port) => begun.has(port.uuid))) await startInOrder(context, [...profiles, ...ports]);
  await Promise.all(profiles.map((profile) => activate(context, profile)));
  await onePortActive(context, ports).catch(async () => {
    throwIfStopped(context.deadline);
    // A controller that starts its ports itself (connection.autoconnect-ports) took the place of these activations with its own, which
    // fail while it is between two profiles. Now it is active.
    await startInOrder(context, ports);
    await onePortActive(context, ports);
  });
}

async function startInOrder({ nm, begun }: ActivationContext, profiles: readonly ProfileActivation[]): Promise<void> {
  const starts = await Promise.all(profiles.map((profile) => preparedActivation(nm, profile)));
  for (const start of starts) start(begun);
}

/** Looks up what an activation needs; the function it gives sends it at once and notes it as begun. */
export async function preparedActivation(
  nm: NetworkManager,
  profile: ProfileActivation,
): Promise<(begun: StepContext['begun']) => void> {
  // A port whose device or profile is gone fails when it is waited for, like one that NetworkManager refuses.
  const start = await activation(nm, profile).catch((error: unknown) => () => Promise.reject(asAgentError(error)));
  return (begun) => {
    const active = start();
    active.catch(() => undefined);
    begun.set(profile.uuid, active);
  };
}

async function onePortActive(context: ActivationContext, ports: readonly ProfileActivation[]): Promise<void> {
  const { watch, deadline, begun } = context;
  const outcomes = await Promise.allSettled(ports.map((port) => begun.get(port.uuid)));
  for (const port of ports) begun.delete(port.uuid);
  const paths = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? (outcome.value ?? []) : []));
  if (paths.length === 0) throw portsFailed(ports, outcomes);
  const what = `a port (${ports.map((port) => port.id).join(', ')})`;
  await watch.activated(paths, what, deadline, Math.min(activationLimitMs, deadline.remainingMs()));
}

/** Looks up what an activation needs; the function it gives sends it at once. */
export async function activation(
  nm: NetworkManager,
  { uuid, interface: interfaceName }: Pick<ProfileActivation, 'uuid' | 'interface'>,
): Promise<() => Promise<string>> {
  const [path, device] = await Promise.all([
    nm.profilePathOf(uuid),
    interfaceName === null ? '/' : kernelDevice(nm, interfaceName),
  ]);
  return () => nm.activate(path, device);
}

/** NetworkManager's object for the kernel's device of this name (OVS ports and bridges share names with it). */
export async function kernelDevice(nm: NetworkManager, name: string): Promise<string> {
  const [path] = await nm.request(`find the device ${name}`, {
    path: rootPath,
    interface: rootInterface,
    member: 'GetDeviceByIpIface',
    signature: 's',
    body: [name],
  });
  return String(path);
}

function portsFailed(
  ports: readonly ProfileActivation[],
  outcomes: readonly PromiseSettledResult<unknown>[],
): AgentError {
  const reasons = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [asAgentError(outcome.reason).message] : [],
  );
  const ids = ports.map((port) => port.id).join(', ');
  return new AgentError('activation-failed', `none of the ports ${ids} could be activated: ${reasons.join('; ')}`, {
    hint: 'check the cables of the ports (ip link), then run it again',
    facts: { reasons },
  });
}
