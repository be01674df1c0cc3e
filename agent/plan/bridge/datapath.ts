import { AgentError } from '../../errors.ts';
import type { Observation } from '../../model/observation.ts';
import type { Plan } from '../../model/plan.ts';
import { textOf } from '../../model/profile-settings.ts';

/**
 * Fails with `kernel-datapath-missing` if a plan starts a bridge in the kernel's data path and the kernel lacks the
 * module openvswitch. Open vSwitch would then create no interface (Documentation/intro/install/general.rst of Open
 * vSwitch), and NetworkManager would wait for the interface until its time limit.
 */
export function refuseWithoutKernelDatapath(plan: Plan, { host }: Observation): void {
  if (host.lacksKernelDatapath !== true) return;
  const interfaces = plan.wanted.bridges.flatMap(({ profiles }) =>
    profiles.filter(({ settings }) => textOf(settings, 'connection', 'type') === 'ovs-interface'),
  );
  const started = plan.steps.flatMap((step) =>
    step.do === 'activate' ? step.profiles.filter(({ tap }) => tap === undefined) : [],
  );
  const first = started.find(({ uuid }) => interfaces.some((profile) => profile.uuid === uuid));
  if (first === undefined) return;
  throw new AgentError(
    'kernel-datapath-missing',
    "this kernel has no module openvswitch, which the kernel's data path of Open vSwitch needs",
    {
      hint: 'install it (RPM: kernel-modules-core and kernel-modules-extra of the running kernel), or write in ovn.yaml: ovs: {datapathType: netdev}',
      facts: { module: 'openvswitch', profile: first.id },
    },
  );
}
