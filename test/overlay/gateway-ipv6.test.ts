// `overlay gateway` with IPv6: addresses of the cluster reach hosts outside of it over both families, with the address
// of their gateway as the source.
import t from 'tap';
import { writesDuring } from './database-writes.ts';
import { configure, dualStack, form } from './form.ts';
import { type Host, missingForHosts, startLan } from './hosts.ts';
import { databases, seenAs, startOutside, take } from './outside.ts';

const skip = missingForHosts() ?? false;

const onlySix = { clusterSubnet: 'fd01::/48', serviceSubnet: 'fd02::/112', joinSubnet: 'fd98::/64' };

function prepare(host: Host, keys: Readonly<Record<string, string>>): void {
  configure(host, keys);
  host.must('ip', 'address', 'add', `2001:db8::${host.address.split('.')[3]}/64`, 'dev', 'br-ex', 'nodad');
}

t.test('gateways of a cluster with both families', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  await startOutside(lan);
  for (const host of [n1, n2]) prepare(host, dualStack);
  form(t, [n1, n2], { n2: ['--gateway', '192.0.2.112,2001:db8::112'] });

  const hops = ['--next-hop', '192.0.2.254,2001:db8::fe'];
  const ofN2 = ['--address', '192.0.2.112/24,2001:db8::112/64', ...hops];
  t.match(n2.agent('overlay', 'gateway', ...ofN2), {
    status: 0,
    stdout: /packets leave n2 by br-ex to 192\.0\.2\.254 and 2001:db8::fe, as 192\.0\.2\.112 and 2001:db8::112\./,
  });
  take(n1, n2, 'br-ex_n2');
  for (const [own, seen] of [
    ['fd01:0:0:1::2', '2001:db8::112'],
    ['10.42.1.2', '192.0.2.112'],
  ] as const)
    t.equal(seenAs(n2, own), seen, `${own} leaves as ${seen}`);
  t.equal(seenAs(n1, 'fd01::2'), '2001:db8::112', 'packets of n1, which has no gateway, leave by n2');
  t.equal(seenAs(n1, '10.42.0.2'), '192.0.2.112');

  const ofN1 = ['--address', '192.0.2.111/24,2001:db8::111/64', ...hops];
  t.match(n1.agent('overlay', 'gateway', ...ofN1), { status: 0 });
  t.equal(seenAs(n1, 'fd01::2'), '2001:db8::111', 'packets of n1 leave by its own gateway');
  t.equal(seenAs(n2, 'fd01:0:0:1::2'), '2001:db8::112');
  const again = await writesDuring(n1, databases, () => {
    t.match(n1.agent('overlay', 'gateway', ...ofN1), { status: 0, stdout: /^Nothing to do/ });
  });
  t.strictSame(again, [], 'a second run writes nothing');

  t.match(n1.agent('overlay', 'gateway', ...ofN1, '--subnets', 'fd01:0:0:1::/64'), { status: 0 });
  t.equal(seenAs(n2, 'fd01:0:0:1::2'), '2001:db8::111', 'packets of the subnet that n1 serves leave by n1');
  t.equal(seenAs(n2, '10.42.1.2'), '192.0.2.112', 'IPv4 packets leave by n2 itself');
  t.match(n1.agent('overlay', 'gateway', '--remove'), { status: 0 });
  t.equal(seenAs(n2, 'fd01:0:0:1::2'), '2001:db8::112', 'without the gateway of n1, packets of n2 leave by n2 again');
});

t.test('gateways of a cluster with IPv6 alone, by the address of the node', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  await startOutside(lan);
  for (const host of [n1, n2]) prepare(host, onlySix);
  // The tunnels have IPv4 addresses, so that the node's IPv6 address needs a grant.
  form(t, [n1, n2], { n2: ['--gateway', '2001:db8::12'] });
  const made = n2.agent('overlay', 'gateway', '--next-hop', '2001:db8::fe');
  t.match(made, { status: 0, stdout: /packets leave n2 by br-ex to 2001:db8::fe, as 2001:db8::12\./ });
  take(n1, n2, 'br-ex_n2');
  t.match(n2.agent('overlay', 'apply'), { status: 0 });
  t.equal(seenAs(n2, 'fd01:0:0:1::2'), '2001:db8::12', 'packets of n2 leave with the address of the node itself');
  t.equal(seenAs(n1, 'fd01::2'), '2001:db8::12', 'packets of n1 leave over the tunnel');
  t.match(n2.agent('overlay', 'verify'), { status: 0 });
});
