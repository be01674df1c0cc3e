import { monotonicMs } from '../../deadline.ts';
import { serviceEvent } from '../../drivers/host/service-event.ts';
import { type ControllerState, controllerState } from '../../drivers/ovn/controller.ts';
import { centralSocket, openCentralDatabase, ovnMissing } from '../../drivers/ovn/database.ts';
import { startAgain, startUnits } from './ovn-units.ts';
import type { OverlayPlaces } from './places.ts';

/** A daemon's start has ended for systemd before it listens; that takes it a second, and 30 s are for a machine that swaps. */
const listenMs = 30_000;

/** Units of OVN: Debian's names, then those of Fedora and CentOS (ovn, debian/ and rhel/). */
const units = {
  central: ['ovn-central.service', 'ovn-northd.service'],
  host: ['ovn-host.service', 'ovn-controller.service'],
} as const;

/** True where both databases of OVN are on this node. */
export function hasCentral({ ovnRuns }: OverlayPlaces): boolean {
  return centralSocket('OVN_Northbound', ovnRuns) !== null && centralSocket('OVN_Southbound', ovnRuns) !== null;
}

/** True where both databases answer: a socket is there before somebody listens, and after its server has died. */
export async function centralAnswers({ ovnRuns }: OverlayPlaces): Promise<boolean> {
  for (const name of ['OVN_Northbound', 'OVN_Southbound'] as const) {
    const database = await openCentralDatabase(name, ovnRuns).catch(() => null);
    if (database === null) return false;
    database.close();
  }
  return true;
}

/** Starts OVN's databases and ovn-northd, now and at every boot, unless they run, and waits until both are set up. */
export async function ensureCentral(places: OverlayPlaces): Promise<void> {
  const answers = (): Promise<boolean> => centralAnswers(places);
  if (!(await answers())) {
    const isStarted = await startUnits(units.central, places);
    if (!isStarted || !(await isSo(answers))) throw ovnMissing("OVN's central part", 'ovn-central');
  }
  // ovn-northd makes the first row of the southbound database, and ovn-ctl(8) that of the northbound one, after they listen.
  for (const [name, table] of [
    ['OVN_Northbound', 'NB_Global'],
    ['OVN_Southbound', 'SB_Global'],
  ] as const) {
    const database = await openCentralDatabase(name, places.ovnRuns);
    await database?.appears({ table, where: [] }, listenMs).finally(() => database.close());
  }
}

/** Starts ovn-controller, now and at every boot, unless it runs. */
export async function ensureController(places: OverlayPlaces): Promise<void> {
  const runs = async (): Promise<boolean> => (await controllerState(places.ovnRuns)) !== 'absent';
  if (await runs()) return;
  const isStarted = await startUnits(units.host, places);
  if (!isStarted || !(await isSo(runs))) throw ovnMissing('ovn-controller', 'ovn-host');
}

/** Starts an ovn-controller that ran before and was ended. */
export async function startController(): Promise<void> {
  await startAgain(units.host);
}

/** How ovn-controller is. */
export function askController({ ovnRuns }: OverlayPlaces): Promise<ControllerState> {
  return controllerState(ovnRuns);
}

async function isSo(condition: () => Promise<boolean>): Promise<boolean> {
  const giveUp = monotonicMs() + listenMs;
  while (!(await condition())) {
    if (monotonicMs() > giveUp) return false;
    await serviceEvent();
  }
  return true;
}
