import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { connect, type OvsdbClient } from '../../agent/drivers/ovsdb/index.ts';

/** The limit of the clients made here: for what is not about limits. */
export const limitMs = 10_000;

const vswitchSchema = '/usr/share/openvswitch/vswitch.ovsschema';

/** Why the tests of this folder cannot run here, or false. */
export function missingParts(): string | false {
  for (const [tool, flag] of [
    ['ovsdb-server', '--version'],
    ['ovsdb-tool', '--version'],
  ] as const) {
    try {
      execFileSync(tool, [flag], { stdio: 'ignore' });
    } catch {
      return `${tool} is not installed (packages: openvswitch-switch, openvswitch)`;
    }
  }
  return existsSync(vswitchSchema) ? false : `${vswitchSchema} is missing`;
}

/** A second database with what Open_vSwitch has not: reals, integer maps, a unique index, an immutable column. */
const inventorySchema = {
  name: 'Inventory',
  version: '1.0.0',
  tables: {
    Item: {
      isRoot: true,
      indexes: [['name']],
      columns: {
        name: { type: 'string', mutable: false },
        serial: { type: { key: 'integer', min: 0, max: 1 } },
        counters: { type: { key: 'integer', value: 'integer', min: 0, max: 'unlimited' } },
        weight: { type: 'real' },
        present: { type: 'boolean' },
        tags: { type: { key: 'string', min: 0, max: 3 } },
        parts: { type: { key: { type: 'uuid', refTable: 'Item', refType: 'strong' }, min: 0, max: 'unlimited' } },
      },
    },
  },
};

export interface RealServer {
  readonly path: string;
  start(): Promise<void>;
  /** Ends the server with the signal and waits until it is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  remove(): Promise<void>;
}

/** A private ovsdb-server with the databases Open_vSwitch and Inventory, on a unix socket in a temporary folder. */
async function createRealServer(): Promise<RealServer> {
  const folder = await mkdtemp(join(tmpdir(), 'ovsdb-real-'));
  const path = (name: string): string => join(folder, name);
  await writeFile(path('inventory.ovsschema'), JSON.stringify(inventorySchema));
  execFileSync('ovsdb-tool', ['create', path('vswitch.db'), vswitchSchema]);
  execFileSync('ovsdb-tool', ['create', path('inventory.db'), path('inventory.ovsschema')]);
  const socket = path('db.sock');
  let child: ChildProcess | undefined;

  async function kill(signal: NodeJS.Signals): Promise<void> {
    const dying = child;
    child = undefined;
    if (dying === undefined || dying.exitCode !== null) return;
    const gone = new Promise((resolve) => dying.once('exit', resolve));
    dying.kill(signal);
    await gone;
  }

  return {
    path: socket,
    async start() {
      const options = [`--remote=punix:${socket}`, `--unixctl=${path('ctl.sock')}`, '--no-chdir', '-vconsole:emer'];
      child = spawn('ovsdb-server', [...options, path('vswitch.db'), path('inventory.db')], { stdio: 'inherit' });
      const end = performance.now() + 15_000;
      for (;;) {
        const probe = await connect(socket, limitMs).catch((error: unknown) => {
          if (performance.now() > end) throw error;
        });
        if (probe) return probe.close();
        await pause(20);
      }
    },
    kill,
    signal: (signal) => child?.kill(signal),
    async remove() {
      await kill('SIGKILL');
      await rm(folder, { recursive: true });
    },
  };
}

/** A running server and a connection to it; both end with the test. */
export async function startWithClient(t: Test): Promise<{ server: RealServer; client: OvsdbClient }> {
  const server = await createRealServer();
  t.teardown(() => server.remove());
  await server.start();
  const client = await connect(server.path, limitMs);
  t.teardown(() => client.close());
  return { server, client };
}
