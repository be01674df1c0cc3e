// What a server says that claims to be ovsdb-server: any bytes in any pieces, and JSON-RPC that is right on its face.
import { openOpenVSwitch } from '../../../agent/drivers/openvswitch/client.ts';
import { connect, OvsdbError, readString } from '../../../agent/drivers/ovsdb/index.ts';
import { expectedFailure } from '../expect.ts';
import { cutAnyhow, listenOn } from '../private-socket.ts';
import { scratchFolder } from '../scratch.ts';
import type { FuzzTarget } from '../target.ts';

const uuid = (last: number): unknown => ['uuid', `00000000-0000-4000-8000-00000000000${last}`];
const ids = ['map', [['NM.connection.uuid', '00000000-0000-4000-8000-00000000000a']]];
const top = {
  ovs_version: '3.5.0',
  external_ids: ['map', [['system-id', 'x']]],
  other_config: ['map', []],
  next_cfg: 7,
  cur_cfg: 7,
};
const bridge = {
  _uuid: uuid(1),
  name: 'br-ex',
  datapath_type: '',
  fail_mode: ['set', []],
  external_ids: ids,
  other_config: ['map', []],
  ports: ['set', [uuid(2), uuid(3)]],
};
const port = { _uuid: uuid(2), name: 'eth0', external_ids: ids, interfaces: uuid(4) };
const face = { _uuid: uuid(4), name: 'eth0', type: 'system', ofport: 1, error: ['set', []], external_ids: ids };

const answers = [
  { id: 0, error: null, result: [{ rows: [top] }, { rows: [bridge] }, { rows: [port] }, { rows: [face] }] },
  { id: 0, error: null, result: [{ rows: [] }, { rows: [] }, { rows: [] }, { rows: [] }] },
  { id: 0, error: null, result: [{ error: 'timed out', details: 'x' }, null, null, null] },
  { id: 0, error: { error: 'unknown database', details: 'Open_vSwitch' }, result: null },
  { id: 0, error: null, result: { Interface: { [String(uuid(4))]: { new: face } } } },
  { id: 'e', method: 'echo', params: ['x'] },
  { id: null, method: 'update', params: ['monitor-0', { Interface: { a: { old: { ofport: 1 }, new: face } } }] },
  { id: null, method: 'update', params: ['monitor-0', { Interface: { a: { old: face } } }] },
];

export const ovsdb: FuzzTarget = {
  corpus: () => {
    const texts = answers.map((answer) => Buffer.from(JSON.stringify(answer)));
    const followed = [4, 6, 7].map((index) => texts[index] ?? Buffer.alloc(0));
    return [...texts, Buffer.concat(followed), Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')];
  },
  words: [
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    ':',
    '\\',
    '\\u0000',
    '["set",[',
    '["map",[',
    '["uuid","',
    '1e999',
    '{"id":0,',
    '\0',
  ],
  form: 'json',
  open: async () => {
    const folder = scratchFolder('ovsdb');
    const server = await listenOn(`${folder.path}/db.sock`);
    return {
      feed: async (input, random) => {
        let sent = 0;
        server.serve = (socket) => {
          // The first request is what the answers are to.
          socket.once('data', () => {
            for (const piece of cutAnyhow(input, random)) socket.write(piece);
            sent = input.length;
            socket.end();
          });
        };
        const outcome = random(3) === 0 ? await follow(server.path) : await facts(folder.path);
        if (sent !== input.length) throw new Error('the server was not asked');
        return outcome;
      },
      close: async () => {
        await server.close();
        folder.remove();
      },
    };
  },
};

async function facts(directory: string): Promise<string> {
  const ovs = await openOpenVSwitch(directory);
  try {
    const found = await ovs.facts();
    JSON.stringify(found);
    return `facts of ${Math.min(2, found.bridges.length)} bridges`;
  } catch (error) {
    return expectedFailure(error, /^ovsdb-/);
  } finally {
    ovs.close();
  }
}

async function follow(path: string): Promise<string> {
  const client = await connect(`unix:${path}`, { callTimeoutMs: 5_000 });
  try {
    const monitor = await client.monitor('Open_vSwitch', { Interface: ['name', 'ofport', 'error'] });
    await monitor.waitUntil(
      (tables) => {
        for (const row of tables.rows('Interface').values()) readString(row.error);
        return false;
      },
      { timeoutMs: 5_000, what: 'never' },
    );
    return 'ended';
  } catch (error) {
    if (error instanceof OvsdbError) return `follow: ${error.kind}`;
    throw error;
  } finally {
    client.close();
  }
}
