import { monotonicMs } from '../../../deadline.ts';
import { serviceEvent } from '../../../drivers/host/process/service-event.ts';
import { askDaemon } from '../../../drivers/ovn/control.ts';
import { type ControllerState, controllerState } from '../../../drivers/ovn/controller.ts';
import { centralSocket, openCentralDatabase, ovnMissing } from '../../../drivers/ovn/database.ts';
import { onTerminal, reportedWait, type Say } from '../../reported-wait.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { type AskSystemd, reportingSystemd, startAgain, startUnits } from './ovn-units.ts';

/**
 * Time limit for a started daemon to answer. systemd may report a unit as started a second before its daemon listens;
 * 30 s allow for a machine that swaps.
 */
const listenMs = 30_000;

/** Units of OVN: Debian's names, then those of Fedora and CentOS (ovn, debian/ and rhel/). */
const units = {
  central: ['ovn-central.service', 'ovn-northd.service'],
  host: ['ovn-host.service', 'ovn-controller.service'],
} as const;

/** Returns true if the sockets of both OVN databases exist on this node. */
export function hasCentral({ ovnRuns }: OverlayPlaces): boolean {
  return centralSocket('OVN_Northbound', ovnRuns) !== null && centralSocket('OVN_Southbound', ovnRuns) !== null;
}

/**
 * Returns true if both OVN databases answer. The existence of a socket does not prove that, because a socket exists
 * before its server listens, and after a crash.
 */
export async function centralAnswers({ ovnRuns, stop }: OverlayPlaces): Promise<boolean> {
  for (const name of ['OVN_Northbound', 'OVN_Southbound'] as const) {
    const database = await openCentralDatabase(name, ovnRuns, stop).catch(() => null);
    // If a signal has aborted `stop`, no database can be opened. That does not mean that OVN's units have to be
    // started.
    stop?.throwIfAborted();
    if (database === null) return false;
    database.close();
  }
  return true;
}

/**
 * If OVN's databases do not answer, starts the units of the databases and of ovn-northd, and enables them for every
 * boot. Waits until both databases have their first row. On a terminal, each wait of more than 2 s is reported.
 * `places.stop` ends the waits.
 */
export async function ensureCentral(
  places: OverlayPlaces,
  say: Say,
  ask: AskSystemd = reportingSystemd(say),
): Promise<void> {
  const answers = (): Promise<boolean> => centralAnswers(places);
  if (!(await answers())) {
    const isStarted = await startUnits(units.central, places, ask);
    const listen = (): Promise<boolean> => isSo(answers, "OVN's databases answer", say, places.stop);
    if (!isStarted || !(await listen())) throw ovnMissing("OVN's central part", 'ovn-central');
  }
  // The servers listen before the first rows exist. ovn-northd inserts the row of the southbound database, and
  // ovn-ctl(8) that of the northbound database.
  for (const [name, table] of [
    ['OVN_Northbound', 'NB_Global'],
    ['OVN_Southbound', 'SB_Global'],
  ] as const) {
    const database = await openCentralDatabase(name, places.ovnRuns, places.stop);
    const appears = async (): Promise<boolean | undefined> => database?.appears({ table, where: [] }, listenMs);
    await reportedWait(waitingUntil(`${name} has its first row`), onTerminal(say), appears).finally(() =>
      database?.close(),
    );
  }
}

/**
 * If ovn-controller is not running, starts its unit and enables it for every boot. On a terminal, a wait of more than 2
 * s is reported. `places.stop` ends the wait.
 */
export async function ensureController(
  places: OverlayPlaces,
  say: Say,
  ask: AskSystemd = reportingSystemd(say),
): Promise<void> {
  const runs = async (): Promise<boolean> => (await controllerState(places.ovnRuns)) !== 'absent';
  if (await runs()) return;
  const isStarted = await startUnits(units.host, places, ask);
  if (!isStarted || !(await isSo(runs, 'ovn-controller answers', say, places.stop)))
    throw ovnMissing('ovn-controller', 'ovn-host');
}

/** Starts an ovn-controller that the agent has stopped. Does not enable its unit. */
export async function startController(say: Say): Promise<void> {
  await startAgain(units.host, reportingSystemd(say));
}

/** Returns true if an ovn-northd runs on this node, even if its main loop is stuck and it gives no answer. */
export function runsNorthd({ ovnRuns }: OverlayPlaces): Promise<boolean> {
  return askDaemon('ovn-northd', ovnRuns, 'status').then(
    (answer) => answer !== null,
    () => true,
  );
}

/** Returns the state of ovn-controller. */
export function askController({ ovnRuns }: OverlayPlaces): Promise<ControllerState> {
  return controllerState(ovnRuns);
}

/**
 * Returns true as soon as ovn-controller is connected to the southbound database, and false at the time limit. After a
 * failure, ovn-controller connects again with an interval of up to 8 s. On a terminal, a wait of more than 2 s is
 * reported.
 */
export function controllerConnects({ ovnRuns, stop }: OverlayPlaces, say: Say): Promise<boolean> {
  const isConnected = async (): Promise<boolean> => (await controllerState(ovnRuns)) === 'connected';
  return isSo(isConnected, 'ovn-controller reaches the southbound database', say, stop);
}

/**
 * Returns true if a condition holds within the time limit. `words` name the condition in the report of a wait. `stop`
 * ends the wait.
 */
function isSo(condition: () => Promise<boolean>, words: string, say: Say, stop?: AbortSignal): Promise<boolean> {
  const giveUp = monotonicMs() + listenMs;
  return reportedWait(waitingUntil(words), onTerminal(say), async () => {
    while (!(await condition())) {
      stop?.throwIfAborted();
      if (monotonicMs() > giveUp) return false;
      await serviceEvent();
    }
    return true;
  });
}

function waitingUntil(words: string): string {
  return `waiting up to ${listenMs / 1000} s until ${words}`;
}
