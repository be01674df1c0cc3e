// Packet filter that accepts the SSH client only through the NIC: a run that would exclude the client is rolled back.
// The test uses this machine's kernel.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { bootNode } from './node.ts';
import { picture } from './picture.ts';

const apply = "SSH_CONNECTION='192.0.2.1 40000 192.0.2.50 22' microshift-net apply";
const rules = `nft -f - <<'END'
table inet filter {
  chain input {
    type filter hook input priority 0; policy drop;
    ct state established,related accept
    iifname "lo" accept
    meta l4proto { icmp, icmpv6 } accept
    udp dport 68 accept
    iifname "eth0" tcp dport 22 accept
  }
}
END`;
const listener = `systemd-run --unit=listener "$(command -v node)" -e 'require("net").createServer().listen(22)'`;
const connects =
  'timeout 90 sh -c \'until ip netns exec lan timeout 2 bash -c "exec 3<> /dev/tcp/192.0.2.50/22"; do sleep 0.2; done\'';

t.test('the SSH client and the packet filter', { skip: nodeSkip }, async (t) => {
  const files = { '/etc/microshift/ovn.yaml': 'ovs:\n  datapathType: netdev\n' };
  const node = await bootNode({ lan: 'dhcp', kernel: 'of this machine', files });
  t.teardown(() => node.halt());
  await node.text(`${rules}\n${listener}; ${connects}`);
  const before = await picture(node);

  await t.test('a rule that names only the NIC', async (t) => {
    const run = await node.run(apply);
    t.equal(run.exitCode, 1, run.stderr);
    t.match(
      run.stderr,
      /the SSH client 192\.0\.2\.1 could not connect again to port 22 by br-ex: 1 rule names eth0 and not br-ex in chain input of table inet filter/,
    );
    await node.text(connects);
    t.strictSame((await picture(node)).links, before.links, 'the node is as it was');
  });

  await t.test('a rule for br-ex beside it', async (t) => {
    await node.text('nft add rule inet filter input iifname "br-ex" tcp dport 22 accept');
    const run = await node.run(apply);
    t.equal(run.exitCode, 0, run.stderr);
    await node.text(connects);
    t.notMatch(
      await node.text('ovs-ofctl dump-flows br-ex'),
      /0x6d736e74/,
      "no flow of the agent's connection test is left",
    );
    t.notMatch(
      await node.text('cat /proc/net/tcp'),
      /:0016 [0-9A-F]+:[0-9A-F]+ 03 /,
      "no connection of the agent's connection test is left",
    );
  });
});
