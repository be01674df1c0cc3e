import { kernelDevice } from '../drivers/networkmanager/devices.ts';
import { dispatchUp } from '../drivers/networkmanager/dispatcher.ts';
import { asAgentError } from '../errors.ts';
import type { Plan, ProfileName } from '../model/plan.ts';
import type { Node } from './node.ts';

/** A NIC that a plan gives back, and the profile it runs then. */
interface Returned {
  readonly interface: string;
  readonly profile: ProfileName;
  /** `address/prefix` */
  readonly addresses: readonly string[];
}

/** NICs that have left their bridges in place when a plan has run; of one whose profile was started NetworkManager tells itself. */
export function returnedNics({ steps }: Pick<Plan, 'steps'>): readonly Returned[] {
  const attached = steps.flatMap((step) => (step.do === 'attachUplink' ? [step.interface] : []));
  return steps.flatMap((step) =>
    step.do === 'detachUplink' && !step.activate && !attached.includes(step.interface)
      ? [{ interface: step.interface, profile: step.profile, addresses: step.addresses }]
      : [],
  );
}

/**
 * Has NetworkManager's dispatcher scripts run for `up` of the NICs that a plan has given back: they were told of `up` of br-ex, and what they gave it
 * is for the NIC now. The change is done by then; a dispatcher that is not there, or scripts that take long, do not fail it.
 */
export async function announceUp(
  node: Pick<Node, 'bus' | 'nm'>,
  plan: Plan,
  say: (message: string) => void,
): Promise<void> {
  for (const { interface: name, profile, addresses } of returnedNics(plan)) {
    try {
      const device = await kernelDevice(node.nm, name);
      const profilePath = await node.nm.profilePathOf(profile.uuid);
      await dispatchUp(node.bus, node.nm, device, { profilePath, addresses });
    } catch (error) {
      const failure = asAgentError(error);
      if (failure.kind !== 'dbus-timeout') say(`dispatcher scripts were not run for ${name}: ${failure.message}`);
    }
  }
}
