// DHCP clients other than NetworkManager's own: a client in a container or pod has links of its own, and does not
// compete with the agent.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { dhcpClients } from '../../../agent/facts/network-facts.ts';

const isRoot = process.getuid?.() === 0;

/** Returns true if the agent finds a client that is running: a script with the name udhcpc, which waits for input. */
async function isSeen(t: Test, ...before: readonly string[]): Promise<boolean> {
  const client = path.join(t.testdir({ udhcpc: '#!/bin/sh\necho started\nread -r line\n' }), 'udhcpc');
  chmodSync(client, 0o755);
  const [program = '', ...words] = [...before, client, '-i', 'eth0'];
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  t.teardown(() => child.kill());
  await once(child.stdout, 'data');
  return dhcpClients().some(({ pid, command }) => pid === child.pid && command.includes('eth0'));
}

t.test('a client in this network namespace is found', async (t) => {
  t.ok(await isSeen(t));
});

t.test('a client in another network namespace is not found', { skip: !isRoot && 'needs root' }, async (t) => {
  t.notOk(await isSeen(t, 'unshare', '--net'));
});
