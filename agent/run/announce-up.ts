import { kernelDevice } from '../drivers/networkmanager/devices.ts';
import { dispatchUp } from '../drivers/networkmanager/dispatcher.ts';
import { asAgentError } from '../errors.ts';
import type { Plan, ProfileName } from '../model/plan.ts';
import type { Node } from './node.ts';

/** A NIC that a plan returns to its own profile, and the profile that it runs then. */
interface Returned {
  readonly interface: string;
  readonly profile: ProfileName;
  /** `address/prefix` */
  readonly addresses: readonly string[];
}

/**
 * Returns the NICs that left their bridges in place during a plan. If a NIC's profile was activated, NetworkManager
 * runs the scripts itself.
 */
export function returnedNics({ steps }: Pick<Plan, 'steps'>): readonly Returned[] {
  const attached = steps.flatMap((step) => (step.do === 'attachUplink' ? [step.interface] : []));
  return steps.flatMap((step) =>
    step.do === 'detachUplink' && !step.activate && !attached.includes(step.interface)
      ? [{ interface: step.interface, profile: step.profile, addresses: step.addresses }]
      : [],
  );
}

/**
 * Runs NetworkManager's dispatcher scripts for `up` of the NICs that a plan has returned. The scripts ran for `up` of
 * br-ex before, and the entries that they added to br-ex now belong on the NIC. The change is complete by then; a
 * missing dispatcher or slow scripts do not make it fail.
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
