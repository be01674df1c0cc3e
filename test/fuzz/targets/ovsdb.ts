// Messages of a server that claims to be ovsdb-server: any bytes in any pieces, and formally correct JSON-RPC.
import { type OpenVSwitch, openOpenVSwitch } from '../../../agent/drivers/openvswitch/ovs-client.ts';
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
  { id: 0, error: null, result: [{}, { uuid: uuid(4) }, { uuid: uuid(2) }, { count: 1 }, { count: 1 }] },
  { id: 1, error: null, result: [{}, { rows: [face] }] },
  { id: 1, error: null, result: [{ error: 'timed out', details: '"wait" timed out' }, null] },
  { id: 'e', method: 'echo', params: ['x'] },
  { id: null, method: 'update', params: ['monitor-0', {}] },
];

export const ovsdb: FuzzTarget = {
  corpus: () => {
    const texts = answers.map((answer) => Buffer.from(JSON.stringify(answer)));
    const attached = [7, 4, 5].map((index) => texts[index] ?? Buffer.alloc(0));
    return [...texts, Buffer.concat(attached), Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')];
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
          // The server answers after the first request, as a real one does.
          socket.once('data', () => {
            for (const piece of cutAnyhow(input, random)) socket.write(piece);
            sent = input.length;
            socket.end();
          });
        };
        const outcome = await connected(folder.path, random(3) === 0 ? attach : facts);
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

async function facts(ovs: OpenVSwitch): Promise<string> {
  const found = await ovs.facts();
  JSON.stringify(found);
  return `facts of ${Math.min(2, found.bridges.length)} bridges`;
}

async function attach(ovs: OpenVSwitch): Promise<string> {
  await ovs.attachUplink({ bridge: 'br-ex', interface: 'eth0' });
  return 'attached';
}

/** Connects to the server in a folder, and runs a function; returns its result or the kind of its failure. */
async function connected(directory: string, work: (ovs: OpenVSwitch) => Promise<string>): Promise<string> {
  const ovs = await openOpenVSwitch(directory);
  try {
    return await work(ovs);
  } catch (error) {
    return expectedFailure(error, /^ovsdb-/);
  } finally {
    ovs.close();
  }
}
