import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { connect, type OvsdbClient } from '../../agent/drivers/ovsdb/index.ts';

/** Time limit of the clients in tests that are not about time limits. */
export const limitMs = 10_000;

export const vswitchSchema = '/usr/share/openvswitch/vswitch.ovsschema';

/** Returns the reason why the tests of this folder cannot run here; false if they can. */
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

/** A second database with types that Open_vSwitch lacks: reals, integer maps, a unique index, an immutable column. */
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
        labels: { type: { key: 'string', value: 'string', min: 0, max: 'unlimited' } },
        place: { type: { key: 'string', value: 'integer', min: 0, max: 1 } },
        note: { type: { key: 'string', min: 0, max: 1 } },
        sizes: { type: { key: 'integer', min: 0, max: 'unlimited' } },
        parts: { type: { key: { type: 'uuid', refTable: 'Item', refType: 'strong' }, min: 0, max: 'unlimited' } },
      },
    },
  },
};

export interface RealServer {
  readonly folder: string;
  readonly path: string;
  /** Returns the TCP port on which the server listens while it is running. */
  port(): number;
  start(): Promise<void>;
  /** Ends the server with a signal, and waits for its exit. */
  kill(signal: NodeJS.Signals): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  remove(): Promise<void>;
}

/** Arguments of a server in addition to its unix socket. */
export interface Listening {
  /** A passive connection method with port 0, such as `ptcp:0:127.0.0.1`. */
  readonly listenOn?: string;
  /** Further arguments of the server's command line. */
  readonly words?: readonly string[];
  /** Schema of the database besides Inventory; Open_vSwitch by default. */
  readonly schema?: string;
}

/**
 * Starts a private ovsdb-server with the databases Open_vSwitch (or another one) and Inventory, on a unix socket in a
 * temporary folder.
 */
async function createRealServer({ listenOn, words = [], schema = vswitchSchema }: Listening): Promise<RealServer> {
  const folder = await mkdtemp(join(tmpdir(), 'ovsdb-real-'));
  const path = (name: string): string => join(folder, name);
  await writeFile(path('inventory.ovsschema'), JSON.stringify(inventorySchema));
  execFileSync('ovsdb-tool', ['create', path('first.db'), schema]);
  execFileSync('ovsdb-tool', ['create', path('inventory.db'), path('inventory.ovsschema')]);
  const socket = path('db.sock');
  let child: ChildProcess | undefined;
  let port = 0;

  async function kill(signal: NodeJS.Signals): Promise<void> {
    const dying = child;
    child = undefined;
    if (dying === undefined || dying.exitCode !== null) return;
    const gone = new Promise((resolve) => dying.once('exit', resolve));
    dying.kill(signal);
    await gone;
  }

  return {
    folder,
    path: socket,
    port: () => port,
    async start() {
      const options = [`--remote=punix:${socket}`, `--unixctl=${path('ctl.sock')}`, '--no-chdir', '-vconsole:emer'];
      const more = listenOn === undefined ? [] : [`--remote=${listenOn}`, '-vconsole:socket_util:info'];
      child = spawn('ovsdb-server', [...options, ...more, ...words, path('first.db'), path('inventory.db')], {
        stdio: ['ignore', 'inherit', listenOn === undefined ? 'inherit' : 'pipe'],
      });
      if (child.stderr !== null) port = await portOf(child.stderr);
      const end = performance.now() + 60_000;
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

/** Returns the port that a server chose, read from its log. */
async function portOf(output: Readable): Promise<number> {
  for await (const line of createInterface({ input: output })) {
    const port = /listening on port (\d+)/.exec(line)?.[1];
    if (port !== undefined) {
      output.resume();
      return Number(port);
    }
  }
  throw new Error('ovsdb-server ended before it listened');
}

/** Starts a server, which ends with the test. */
export async function startServer(t: Test, listening: Listening = {}): Promise<RealServer> {
  const server = await createRealServer(listening);
  t.teardown(() => server.remove());
  await server.start();
  return server;
}

/** Starts a server and connects to it; both end with the test. */
export async function startWithClient(t: Test): Promise<{ server: RealServer; client: OvsdbClient }> {
  const server = await startServer(t);
  const client = await connect(server.path, limitMs);
  t.teardown(() => client.close());
  return { server, client };
}
