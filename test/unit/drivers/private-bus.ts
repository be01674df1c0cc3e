// A real dbus-daemon on a private socket, for tests.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import readline from 'node:readline';
import type { Test } from 'tap';
import { type Bus, connectBus } from '../../../agent/drivers/dbus/bus-connection.ts';

/** Reason why a test that needs the bus is skipped; false if this machine has dbus-daemon. */
export const noDaemon = spawnSync('dbus-daemon', ['--version']).error !== undefined && 'dbus-daemon is not installed';

/** A private bus, on which every user may send every message. */
export interface Daemon {
  readonly address: string;
  readonly process: ChildProcess;
}

/** Starts dbus-daemon; it ends with the test. */
export async function startDaemon(t: Test): Promise<Daemon> {
  const directory = socketDirectory(t);
  const rules = '<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>';
  const config = `<listen>unix:path=${directory}/bus</listen><auth>EXTERNAL</auth><policy context="default">${rules}</policy>`;
  writeFileSync(join(directory, 'bus.conf'), `<busconfig><type>custom</type>${config}</busconfig>`);
  const child = spawn('dbus-daemon', ['--nofork', '--print-address', `--config-file=${join(directory, 'bus.conf')}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  for await (const address of readline.createInterface({ input: child.stdout })) return { address, process: child };
  throw new Error('dbus-daemon ended without a word');
}

/** Opens a connection with the agent's D-Bus driver; it is closed when the test ends. */
export async function connected(t: Test, address: string): Promise<Bus> {
  const bus = await connectBus(address);
  t.teardown(() => bus.close());
  return bus;
}

/** Makes a folder with a short name, because the test runner's are too long for the path of a socket (unix(7)). */
export function socketDirectory(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'bus-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
