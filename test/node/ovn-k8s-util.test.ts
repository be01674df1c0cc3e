// `ovn-k8s-util nics-to-bridge` and `bridges-to-nic` with NetworkManager: they also make and revert the changes that
// ovn-kubernetes of 2017 left to its user. bridge.test.ts has reboots, and kills of the agent, on a host with such
// bridges.
import t from 'tap';
import { armFault, letGoOfRun } from './armed-fault.ts';
import { nodeSkip } from './availability.ts';
import { isOld, isRolledBack } from './interfere.ts';
import { bootNode, measuredSettleMs } from './node.ts';
import { picture, pictureLike } from './picture.ts';
import { isUnder, reachable } from './under.ts';

/** Profiles of both NICs; eth1 also has a routing table of its own, and a rule that leads to this table. */
const withRules = `profiles() {
  eth_profile eth0 <<< $'[ipv4]\\nmethod=auto\\nroute-metric=150\\n[ipv6]\\nmethod=disabled'
  eth_profile eth1 <<< $'[ipv4]\\nmethod=manual\\naddress1=203.0.113.50/24,203.0.113.1\\nroute1=198.51.100.0/24,203.0.113.254
route1_options=table=100\\nrouting-rule1=priority 30000 from 203.0.113.50 table 100
dns=203.0.113.1;\\ndns-search=second.example;\\n[ipv6]\\nmethod=disabled'; }`;
const both = ['eth1', 'eth0'];
/** Server and address of each lease; the other values change at every renewal. */
const lasting = 'ip_address|dhcp_server_identifier|dhcp_client_identifier|domain_name_servers';
const lease = (device: string): string =>
  `nmcli -g DHCP4.OPTION device show ${device} | tr '|' '\\n' | grep -oE '(${lasting}) = .*[^ ]' | sort`;

t.test('ovn-k8s-util', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'any-nic', lanAppend: withRules, enableBridges: true, enableRepair: true });
  t.teardown(() => node.halt());
  await node.text('ln -s microshift-net /usr/bin/ovn-k8s-util');
  const before = await node.state('whole');
  const untouched = await picture(node);
  t.match(JSON.stringify(before.data.rules), /203\.0\.113\.50/, 'eth1 has a routing rule');
  const leased = await node.text(lease('eth0'));
  t.match(leased, /dhcp_server_identifier = 192\.0\.2\.1/, 'the NIC has a lease');

  await t.test('a run that is terminated in the middle leaves the NIC as it was', async (t) => {
    await armFault(node, 'after step 5', 'terminate');
    const since = await node.now();
    t.match(await node.run('ovn-k8s-util nics-to-bridge eth0 eth1'), { exitCode: 1, stdout: '' });
    await isRolledBack(node);
    await isOld(t, node, untouched, since);
    await node.text(letGoOfRun);
    t.equal(await node.text(lease('eth0')), leased, 'the NIC has its lease again');
  });

  await t.test('a NIC that does not exist ends the command, and the NICs before it keep their bridges', async (t) => {
    const run = await node.measure('ovn-k8s-util nics-to-bridge eth1 eth9');
    t.match(run, { exitCode: 2, stdout: /committed/, stderr: /the interface "eth9" does not exist/ });
    reachable(t, run);
    isUnder(t, before, await node.state(), 'eth1');
  });

  await t.test('NICs move under bridges without an interruption for the LAN', async (t) => {
    const run = await node.measure(`ovn-k8s-util nics-to-bridge ${both.join(' ')}`, { settleMs: measuredSettleMs });
    t.match(run, { exitCode: 0, stdout: /Nothing to do(.*\n)*.*committed/ }, 'eth1 has its bridge already');
    t.comment(`${Math.round(run.wallMs)} ms, away ${JSON.stringify(run.outageMs)}`);
    reachable(t, run);
    const after = await node.state('whole');
    for (const nic of both) isUnder(t, before, after, nic);
    t.strictSame(after.data.rules, before.data.rules, 'the rules stay');
    t.equal(await node.text(lease('breth0')), leased, 'the bridge has the same lease, with the same client-id');
    const again = await node.run(`ovn-k8s-util nics-to-bridge ${both.join(' ')}`);
    t.match(again, { exitCode: 0, stdout: /Nothing to do(.*\n)*.*Nothing to do/ });
  });

  await t.test('the bridges are on the list of `bridge add`, from which each boot builds them', async (t) => {
    const list = JSON.parse((await node.read('/var/lib/microshift-net/bridges.json')) ?? '[]') as object[];
    t.match(
      list,
      both.toSorted().map((nic) => ({ bridge: `br${nic}`, interface: nic })),
    );
  });

  await t.test('`bridges-to-nic` returns the NICs', async (t) => {
    const run = await node.measure('ovn-k8s-util bridges-to-nic breth0 breth1');
    t.match(run, { exitCode: 0, stdout: /committed(.*\n)*.*committed/ });
    t.comment(`${Math.round(run.wallMs)} ms, away ${JSON.stringify(run.outageMs)}`);
    reachable(t, run);
    t.strictSame(
      await pictureLike(node, untouched),
      untouched,
      'the state of the node is the same as before the command',
    );
    t.match(await node.run('ovn-k8s-util bridges-to-nic breth0'), {
      exitCode: 2,
      stderr: /has made no bridge "breth0"/,
    });
  });
});
