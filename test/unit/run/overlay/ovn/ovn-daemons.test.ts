// Starts of OVN's daemons: Ctrl-C ends the wait for a daemon that does not become ready.
import { join } from 'node:path';
import t from 'tap';
import type { Systemd } from '../../../../../agent/drivers/systemd/systemd-units.ts';
import { AgentError } from '../../../../../agent/errors.ts';
import { ensureCentral, ensureController } from '../../../../../agent/run/overlay/ovn/ovn-daemons.ts';
import type { AskSystemd } from '../../../../../agent/run/overlay/ovn/ovn-units.ts';
import { overlayPlaces } from '../../../../../agent/run/overlay/record/places.ts';
import { failure } from '../../../failure.ts';

const silent = (): void => undefined;
const done = (): Promise<void> => Promise.resolve();

/** Returns a simulated systemd whose started units never become ready; calls `begun` with the name of each unit. */
const idle = (isInstalled: boolean, begun: (unit: string) => void): AskSystemd => {
  const systemd: Systemd = {
    daemonReload: done,
    isInstalled: () => Promise.resolve(isInstalled),
    isEnabled: () => Promise.resolve(false),
    activeState: () => Promise.resolve('inactive'),
    enableUnit: done,
    disableUnit: done,
    startUnit: async (unit) => begun(unit),
    stopUnit: done,
  };
  return (work) => work(systemd);
};

for (const [name, ensure, first] of [
  ['the databases', ensureCentral, 'ovn-central.service'],
  ['ovn-controller', ensureController, 'ovn-host.service'],
] as const) {
  t.test(`${name}: a signal ends the wait`, async (t) => {
    const folder = t.testdir({});
    const stop = new AbortController();
    const reason = new AgentError('interrupted', 'stopped by SIGINT');
    const places = { ...overlayPlaces, ovnRuns: [folder], units: join(folder, 'units.json'), stop: stop.signal };
    const begun: string[] = [];
    const ask = idle(true, (unit) => {
      begun.push(unit);
      stop.abort(reason);
    });
    await t.rejects(ensure(places, silent, ask), reason);
    t.equal(begun[0], first);
  });
  t.test(`${name}: a node without the package`, async (t) => {
    const folder = t.testdir({});
    const places = { ...overlayPlaces, ovnRuns: [folder], units: join(folder, 'units.json') };
    await t.rejects(ensure(places, silent, idle(false, silent)), failure('ovn-not-running'));
  });
}
