import { kernelDevice } from '../drivers/networkmanager/devices.ts';
import { dispatchUp } from '../drivers/networkmanager/dispatcher.ts';
import { asAgentError } from '../errors.ts';
import type { Plan, ProfileName } from '../model/plan.ts';
import type { Node } from './node.ts';

/** NIC that a plan removes from its bridge, with the profile that is active on the NIC afterwards. */
interface Returned {
  readonly interface: string;
  readonly profile: ProfileName;
  /** Addresses of the NIC as `address/prefix`. */
  readonly addresses: readonly string[];
}

/**
 * Returns the NICs that a plan removes from their bridges without activating their profiles again. For any other NIC,
 * NetworkManager itself runs its dispatcher scripts when it activates the NIC's profile.
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
 * Runs NetworkManager's dispatcher scripts with the action `up` for each NIC that a plan has removed from its bridge
 * without activating the NIC's profile again. Scripts may have added routes or rules to the bridge when the bridge came
 * up. These routes and rules now belong on the NIC. The change is complete when this function runs, so a failure of the
 * scripts is only reported. A script that takes too long is not reported.
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
