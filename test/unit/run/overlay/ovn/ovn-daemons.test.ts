// Waits for OVN's daemons: Ctrl-C ends the wait for a daemon that does not become ready, or that does not connect.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Systemd } from '../../../../../agent/drivers/systemd/systemd-units.ts';
import { AgentError } from '../../../../../agent/errors.ts';
import {
  controllerConnects,
  ensureCentral,
  ensureController,
} from '../../../../../agent/run/overlay/ovn/ovn-daemons.ts';
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

/** Starts a simulated ovn-controller, which gives these answers to `connection-status`; returns its run directory. */
async function controllerWith(t: Test, answers: () => string): Promise<string> {
  // The path of a socket has at most 107 characters (unix(7)).
  const folder = mkdtempSync(join(tmpdir(), 'ovn-'));
  const server = createServer((socket) => {
    socket.on('data', (request) => {
      const { id } = JSON.parse(String(request));
      socket.write(JSON.stringify({ id, result: `${answers()}\n`, error: null }));
    });
  });
  await new Promise<void>((resolve) => server.listen(join(folder, 'ovn-controller.7.ctl'), resolve));
  t.teardown(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  return folder;
}

t.test('an ovn-controller that is not connected is awaited', async (t) => {
  const answers = ['not connected', 'connected'];
  const folder = await controllerWith(t, () => answers.shift() ?? 'asked too often');
  t.equal(await controllerConnects({ ...overlayPlaces, ovnRuns: [folder] }, silent), true);
  t.strictSame(answers, []);
});

t.test('a signal ends the wait for an ovn-controller that does not connect', async (t) => {
  const stop = new AbortController();
  const reason = new AgentError('interrupted', 'stopped by SIGINT');
  const folder = await controllerWith(t, () => {
    stop.abort(reason);
    return 'not connected';
  });
  await t.rejects(controllerConnects({ ...overlayPlaces, ovnRuns: [folder], stop: stop.signal }, silent), reason);
});
