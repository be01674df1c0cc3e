import { type ControllerState, controllerState } from '../../drivers/ovn/controller.ts';
import { centralSocket, ovnMissing } from '../../drivers/ovn/database.ts';
import { onSystemBus } from '../../facts/system-bus.ts';
import type { OverlayPlaces } from './places.ts';

/** Units of OVN: Debian's names, then those of Fedora and CentOS (ovn, debian/ and rhel/). */
const units = {
  central: ['ovn-central.service', 'ovn-northd.service'],
  host: ['ovn-host.service', 'ovn-controller.service'],
} as const;

/** True where both databases of OVN are on this node. */
export function hasCentral({ ovnRuns }: OverlayPlaces): boolean {
  return centralSocket('OVN_Northbound', ovnRuns) !== null && centralSocket('OVN_Southbound', ovnRuns) !== null;
}

/** Starts OVN's databases and ovn-northd, now and at every boot, unless they run. */
export async function ensureCentral(places: OverlayPlaces): Promise<void> {
  if (hasCentral(places)) return;
  await start(units.central);
  if (!hasCentral(places)) throw ovnMissing("OVN's central part", 'ovn-central');
}

/** Starts ovn-controller, now and at every boot, unless it runs. */
export async function ensureController(places: OverlayPlaces): Promise<void> {
  if ((await controllerState(places.ovnRuns)) !== 'absent') return;
  await start(units.host);
  if ((await controllerState(places.ovnRuns)) === 'absent') throw ovnMissing('ovn-controller', 'ovn-host');
}

/** How ovn-controller is. */
export function askController({ ovnRuns }: OverlayPlaces): Promise<ControllerState> {
  return controllerState(ovnRuns);
}

/** Those of these units that there are. systemd says when its start has ended; where there is no systemd, nothing is started. */
async function start(names: readonly string[]): Promise<void> {
  await onSystemBus(async (bus) => {
    const { openSystemd } = await import('../../drivers/systemd/units.ts');
    const systemd = openSystemd(bus);
    for (const name of names) {
      if (!(await systemd.isInstalled(name))) continue;
      await systemd.enableUnit(name);
      await systemd.startUnit(name);
    }
  });
}
