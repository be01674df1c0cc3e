import { presetUnit, whyNothingRuns } from '../drivers/host/process/machine-network.ts';
import { asAgentError } from '../errors.ts';
import type { OvsFacts } from '../model/observation.ts';
import type { TuningFacts, TuningPlan } from '../model/tuning.ts';
import { bridgesUnit, watchUnits } from '../model/units.ts';
import { openServices, type Services } from './node.ts';
import { tuneAlone } from './tune-alone.ts';

/** Event that a package manager reports. */
export type HookEvent = 'post-install' | 'post-upgrade' | 'pre-uninstall';

export interface HookPorts {
  readonly say: (message: string) => void;
  readonly planTuning: (facts: TuningFacts, ovs: OvsFacts) => TuningPlan;
  /** Function that restores the administrator's own profiles before an uninstall on a running node. */
  readonly disable: () => Promise<void>;
}

const openvswitch = 'openvswitch.service';

/**
 * Handles an event of the package manager. Reports each action that failed, but never fails itself, because a package
 * is installed or removed in any state of the network. On a system that is not running, does only the work that needs
 * no running service. Never restarts a service that carries traffic.
 */
export async function runHook(event: HookEvent, ports: HookPorts): Promise<void> {
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    await work().catch((error: unknown) => {
      const { message, hint } = asAgentError(error);
      ports.say(`could not ${what}: ${message}${hint === undefined ? '' : `; ${hint}`}`);
    });
  };
  const why = whyNothingRuns();
  if (event === 'post-install') await attempt(`enable ${openvswitch}`, () => presetUnit(openvswitch));
  if (why !== null) {
    const rest =
      event === 'pre-uninstall'
        ? 'this machine has no network configuration to remove'
        : 'the rest happens when the node boots';
    ports.say(`${why}: no service is started or notified; ${rest}`);
    return;
  }
  const tune = () => tuneAlone(`hook ${event}`, ports.planTuning, () => undefined, ports.say);
  if (event === 'pre-uninstall') {
    await attempt('return the NIC to its own profile', ports.disable);
    await attempt('remove the tuning of Open vSwitch', tune);
    return;
  }
  await attempt('reach the services', () => withServices((services) => notifyServices(event, services, attempt)));
  await attempt('tune Open vSwitch', async () => {
    const { plan } = await tune();
    for (const note of plan.notes) ports.say(note.message);
  });
}

async function notifyServices(
  event: HookEvent,
  services: Services,
  attempt: (what: string, work: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const { systemd } = services;
  // systemd has to read the drop-ins of the package before Open vSwitch starts for the first time.
  await attempt('let systemd read its unit files again', () => systemd.daemonReload());
  if (event !== 'post-install') return;
  await attempt(`start ${openvswitch}`, async () => {
    if ((await systemd.activeState(openvswitch)) !== 'active') await systemd.startUnit(openvswitch);
  });
  for (const unit of [...watchUnits, bridgesUnit]) await attempt(`start ${unit}`, () => systemd.startUnit(unit));
  await attempt('let NetworkManager read its configuration again', () => services.reloadNetworkManager());
}

async function withServices(work: (services: Services) => Promise<void>): Promise<void> {
  const services = await openServices();
  await work(services).finally(() => services.close());
}
