import { AgentError } from '../../errors.ts';
import type { Observation } from '../../model/observation.ts';
import type { Plan } from '../../model/plan.ts';
import { touchOf } from '../../model/step-traits.ts';

/** Value of NMDeviceType for a team. */
const teamDevice = 15;

/**
 * Fails with `command-missing` for a plan that moves or configures a team while teamd is not installed. If the run or
 * its rollback had to activate a profile on the team, NetworkManager could not do so, and the node would become
 * unreachable. As long as no run changes it, the team keeps working.
 */
export function refuseWithoutTeamd(plan: Plan, { host, networkManager }: Observation): void {
  if (host.missingPrograms?.includes('teamd') !== true) return;
  const touched = plan.steps.flatMap((step) => touchOf(step)?.nic ?? []);
  const team = networkManager.devices.find(
    (device) => device.type === teamDevice && touched.includes(device.interface),
  );
  if (team === undefined) return;
  throw new AgentError('command-missing', `NetworkManager cannot start ${team.interface} again: teamd is not there`, {
    hint: 'install it (RPM: teamd, Debian: libteam-utils), then run it again',
    facts: { program: 'teamd', interface: team.interface },
  });
}
