import { AgentError } from '../../errors.ts';
import type { Observation } from '../../model/observation.ts';
import type { Plan } from '../../model/plan.ts';

/**
 * Fails with `tun-missing` for a plan that activates a bridge in the userspace data path if Open vSwitch cannot create
 * the bridge's interface, a tap (Documentation/intro/install/userspace.rst of Open vSwitch). NetworkManager would wait
 * for the interface until its time limit.
 */
export function refuseWithoutTun(plan: Plan, { host }: Observation): void {
  if (host.lacksTun !== true) return;
  const taps = plan.steps.flatMap((step) => (step.do === 'activate' ? step.profiles.map(({ tap }) => tap) : []));
  const tap = taps.find((name) => name !== undefined);
  if (tap === undefined) return;
  throw new AgentError(
    'tun-missing',
    `${tap} in the userspace data path (ovs.datapathType: netdev) needs a tap, and /dev/net/tun is not there`,
    { hint: tunHint, facts: { device: '/dev/net/tun', interface: tap } },
  );
}

/** Commands that provide /dev/net/tun, now and at every boot. */
export const tunHint = 'modprobe tun && echo tun > /etc/modules-load.d/tun.conf';
