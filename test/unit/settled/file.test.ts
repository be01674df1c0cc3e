// What a run keeps for the next one: it comes back as it was, and anything that is not ours counts as nothing.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Settled } from '../../../agent/model/settled.ts';
import { readSettled, writeSettled } from '../../../agent/settled/file.ts';
import { inputsText } from '../../../agent/settled/look.ts';

const settled: Settled = {
  agent: '1.0.0 7 8',
  inputs: '["a line\\nand another"]',
  bus: {
    address: 'unix:path=/run/bus',
    sent: Buffer.from([0, 10, 255]),
    replies: [Buffer.from(''), Buffer.from('ö\n')],
  },
  ovsdb: { sent: Buffer.from('{"id":0}'), received: Buffer.from('{"id":0,"result":[]}') },
};

const directory = mkdtempSync(join(tmpdir(), 'settled-'));
const path = join(directory, 'settled');
t.teardown(() => rmSync(directory, { recursive: true }));

t.test('comes back as it was, and is for root alone', (t) => {
  writeSettled(path, settled);
  t.equal(statSync(path).mode & 0o777, 0o600);
  const read = readSettled(path);
  t.strictSame(read?.inputs, settled.inputs);
  t.strictSame(read?.agent, settled.agent);
  t.strictSame(read?.bus.address, settled.bus.address);
  t.strictSame(read?.bus.replies.map(String), settled.bus.replies.map(String));
  t.ok(Buffer.from(settled.bus.sent).equals(read?.bus.sent ?? Buffer.alloc(0)));
  t.strictSame(String(read?.ovsdb.received), String(settled.ovsdb.received));
  t.end();
});

t.test('what is damaged or not ours counts as nothing', (t) => {
  writeSettled(path, settled);
  const good = readFileSync(path);
  t.equal(readSettled(join(directory, 'absent')), null);
  for (const [name, bytes] of Object.entries({
    empty: Buffer.alloc(0),
    'one byte short': good.subarray(0, -1),
    'one byte long': Buffer.concat([good, Buffer.from('x')]),
    'without its first line': good.subarray(good.indexOf(10) + 1),
    'of another format': Buffer.from(good.toString('latin1').replace('"format":1', '"format":2'), 'latin1'),
    'not JSON': Buffer.from('{"format":1\n'),
  })) {
    writeFileSync(path, bytes);
    t.equal(readSettled(path), null, name);
  }
  writeFileSync(path, good);
  chmodSync(path, 0o622);
  t.equal(readSettled(path), null, 'others could have written it');
  chmodSync(path, 0o600);
  symlinkSync(path, join(directory, 'link'));
  t.equal(readSettled(join(directory, 'link')), null, 'a link');
  t.ok(readSettled(path), 'and the good one is good');
  t.end();
});

t.test('inputs differ when anything differs but who is logged in', (t) => {
  const link = { name: 'eth0', permanentMac: null };
  const facts = {
    host: { bootId: 'b', hostname: 'h', sshPeer: null },
    links: [link],
    routes: [],
    resolver: {},
    hints: {},
    tuning: { daemons: [{ name: 'ovs-vswitchd', threads: [{ tid: 7, name: 'handler1', cpus: '0' }] }] },
  } as unknown as Parameters<typeof inputsText>[1];
  const files = { ovnYaml: Buffer.from('mtu: 1400\n'), configYaml: null, configD: [] };
  const text = inputsText(files, facts);
  t.equal(inputsText(files, { ...facts, host: { ...facts.host, sshPeer: '192.0.2.1' } }), text);
  t.equal(inputsText(files, { ...facts, links: [{ ...link, permanentMac: '02:00:00:00:00:01' }] as never }), text);
  const threads = (...cpus: string[]) => ({
    ...facts,
    tuning: {
      daemons: [{ name: 'ovs-vswitchd', threads: cpus.map((set, tid) => ({ tid, name: 'urcu', cpus: set })) }],
    },
  });
  t.equal(inputsText(files, threads('0', '0') as never), text, 'other threads on the same CPU');
  t.not(inputsText(files, threads('0', '0-3') as never), text, 'a thread that may run elsewhere');
  t.not(inputsText({ ...files, ovnYaml: Buffer.from('mtu: 1401\n') }, facts), text);
  t.not(inputsText({ ...files, ovnYaml: null }, facts), text);
  t.not(inputsText({ ...files, configD: [{ name: '10.yaml', bytes: Buffer.from('') }] }, facts), text);
  t.not(inputsText(files, { ...facts, hints: { interfaceHint: 'eth1' } as never }), text);
  t.not(inputsText(files, { ...facts, host: { ...facts.host, bootId: 'c' } }), text);
  t.end();
});
