import { guardMac, type MacGuard } from '../drivers/host/mac-guard.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';

/** Guards the MAC of every uplink of this plan that loses its ports while it moves; one without ports keeps its MAC by itself. */
export async function guardMacs(plan: Plan, { links }: Observation): Promise<MacGuard> {
  const movedWithPorts = plan.steps.flatMap((step) =>
    step.do === 'attachUplink' && step.ports !== undefined && step.ports.length > 0 ? [step.interface] : [],
  );
  const guards = await Promise.all(
    links.filter((link) => movedWithPorts.includes(link.name)).map((link) => guardMac(link.name, link.mac)),
  );
  return {
    release: () => {
      for (const guard of guards) guard.release();
    },
    restore: () => {
      for (const guard of guards) guard.restore();
    },
  };
}
