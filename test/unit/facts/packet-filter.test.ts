import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readPacketFilter } from '../../../agent/facts/packet-filter.ts';

const path = process.env.PATH;
t.afterEach(() => {
  process.env.PATH = path;
});

/** Reads the packet filter on a machine that has only these programs; each prints its lines. */
async function readWith(t: Test, programs: Readonly<Record<string, readonly string[]>>) {
  const scripts = Object.entries(programs).map(([name, lines]) => {
    const prints = lines.map((line) => `echo '${line}'\n`).join('');
    return [name, `#!/bin/sh\n${prints}`] as const;
  });
  const folder = t.testdir(Object.fromEntries(scripts));
  for (const [name] of scripts) chmodSync(join(folder, name), 0o755);
  process.env.PATH = folder;
  return readPacketFilter();
}

t.test('chains of ovn-kubernetes, and rules that lead to them', async (t) => {
  const nat = [
    '*nat',
    ':PREROUTING ACCEPT [0:0]',
    ':OVN-KUBE-NODEPORT - [0:0]',
    '-A PREROUTING -j OVN-KUBE-NODEPORT',
    '-A OUTPUT -j OVN-KUBE-NODEPORT',
    '-A OVN-KUBE-NODEPORT -p tcp -m addrtype --dst-type LOCAL -m tcp --dport 30080 -j DNAT --to-destination 10.43.0.9:80',
    'COMMIT',
  ];
  const { natChains } = await readWith(t, { 'iptables-save': nat, 'ip6tables-save': nat });
  const chain = { name: 'OVN-KUBE-NODEPORT', rules: 1, from: ['PREROUTING', 'OUTPUT'] };
  t.strictSame(natChains, { ipv4: [chain], ipv6: [chain] });
});

t.test('a missing program does not count as a table without chains', async (t) => {
  t.strictSame(await readWith(t, { 'iptables-save': [] }), { natChains: { ipv4: [], ipv6: null }, nftTables: null });
  t.strictSame(await readWith(t, { nft: ['table inet ovn-kubernetes'] }), {
    natChains: { ipv4: null, ipv6: null },
    nftTables: ['inet ovn-kubernetes'],
  });
});
