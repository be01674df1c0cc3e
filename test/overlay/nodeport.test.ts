// Node and gateway on one bridge, with one MAC and the same addresses: the destinations of packets, also after failures
// of ovs-vswitchd and the NIC.
import t, { type Test } from 'tap';
import { hasProgram } from '../cluster/binaries.ts';
import { form } from './form.ts';
import { type Host, killProcess, missingForHosts, startLan, startVswitchd } from './hosts.ts';
import { sixOf } from './neighbours.ts';
import { ask } from './one-request.ts';
import { ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';
import { balance, serve, startPod } from './services.ts';
import { talk } from './talk.ts';

const skip = missingForHosts() ?? (hasProgram('nft', '--version') ? false : 'nft is missing');
/** Next hops of the gateway, because br-ex has no default route in this test. */
const beside = ['--next-hop', '192.0.2.254,2001:db8::fe'];
const foreign = 'cookie=0x99,priority=300,dl_type=0x88cc,actions=drop';

/**
 * Gives br-ex an IPv6 address, disables the answers of the kernel on the NIC, and writes an ovn.yaml with ranges of
 * both families.
 */
function prepare(host: Host): void {
  host.must('sysctl', '-qw', 'net.ipv4.conf.eth0.arp_ignore=8', 'net.ipv6.conf.eth0.disable_ipv6=1');
  host.must('ip', 'address', 'add', `${sixOf(host)}/64`, 'dev', 'br-ex', 'nodad');
  host.write(
    '/etc/microshift/ovn.yaml',
    [
      'ovs: {datapathType: netdev}',
      'overlay:',
      '  clusterSubnet: 10.42.0.0/16,fd01::/48',
      '  serviceSubnet: 10.43.0.0/16,fd02::/112',
      '  joinSubnet: 100.64.0.0/16,fd98::/64',
      '',
    ].join('\n'),
  );
}

/**
 * Makes a node a gateway over br-ex, or removes its gateway. The central node has no daemon in this test, so its plan
 * is applied by hand.
 */
function setGateway(central: Host, host: Host, words: readonly string[]): void {
  host.agent('overlay', 'gateway', ...words);
  central.agent('overlay', 'apply');
}

function ofOurs(host: Host): string {
  return host.must('ovs-ofctl', 'dump-flows', 'br-ex', 'cookie=0x6d6e6f766c79/-1');
}

/** Returns the number of packets of the agent's flows; a flow that is written again begins at zero. */
function carried(host: Host): number {
  return [...ofOurs(host).matchAll(/n_packets=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
}

function restartSwitch(host: Host): void {
  killProcess(host, '/run/openvswitch/ovs-vswitchd.pid');
  startVswitchd(host);
}

t.test('services arrive at the addresses of a node', { skip }, async (t) => {
  for (const which of ovnsHere()) await t.test(`OVN: ${which}`, (t) => arrive(t, which));
});

async function arrive(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const [n1, n2, client] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('client', 50)];
  for (const host of [n1, n2, client]) prepare(host);
  form(t, [n1, n2], { n2: ['--gateway', sixOf(n2)] });
  const far = await startPod(n1, n1, '10.42.0.0/24', 'fd01::/64');
  const near = await startPod(n1, n2, '10.42.1.0/24', 'fd01:0:0:1::/64');
  for (const host of [n2, client]) await serve(host);
  const [four, six] = [n2.address, sixOf(n2)];
  balance(n1, 'far', 'tcp', {
    '10.43.0.80:80': `${far.address}:8080`,
    [`${four}:30080`]: `${far.address}:8080`,
    '192.0.2.200:80': `${far.address}:8080`,
    '[fd02::80]:80': `[${far.address6}]:8080`,
    [`[${six}]:30080`]: `[${far.address6}]:8080`,
  });
  balance(n1, 'near', 'udp', {
    [`${four}:30053`]: `${near.address}:8053`,
    [`[${six}]:30053`]: `[${near.address6}]:8053`,
  });
  balance(n1, 'here', 'tcp', { [`${four}:30081`]: `${four}:8080`, [`[${six}]:30081`]: `[${six}]:8080` });
  n2.must('ovs-ofctl', 'add-flow', 'br-ex', foreign);

  const inwards = await talk(client, n2, four);
  const outwards = await talk(n2, client, client.address);
  const both = async (when: string): Promise<void> => {
    t.equal(await inwards.say(when), when, `the node is reached ${when}`);
    t.equal(await outwards.say(when), when, `the node reaches the LAN ${when}`);
  };
  await both('before it has a gateway');

  setGateway(n1, n2, beside);
  t.match(n2.agent('overlay', 'plan'), { status: 0, stdout: /br-ex does not have this flow/ });
  t.match(n2.agent('overlay', 'apply'), { status: 0, stderr: /flows and tables of inbound services to change/ });
  t.match(n2.agent('overlay', 'verify'), { status: 0 }, 'the gateway is connected');
  await both('beside its gateway');
  for (const address of [four, six])
    t.match(ask(n2, 'tcp', address.replace(/12$/, '50'), 8080), address, 'a new connection of the node');

  const reached = (when: string): void => {
    for (const address of [four, six]) {
      t.match(ask(client, 'tcp', address, 30080), /^100\.64\.0\.3$|^fd98::3$/, `a pod of another node, ${when}`);
      t.match(ask(client, 'tcp', address, 8080), /\.50$|::50$/, `the node itself, ${when}`);
    }
  };
  reached('from the LAN');
  t.equal(ask(client, 'tcp', '192.0.2.200', 80), '100.64.0.3', 'an external address');
  for (const address of [four, six]) {
    t.match(ask(client, 'udp', address, 30053), /^100\.64\.0\.3$|^fd98::3$/, 'a pod of the node itself answers');
    t.match(
      ask(client, 'tcp', address, 30081),
      /\.50$|::50$/,
      'a server on the node itself sees the address of the client',
    );
    t.equal(ask(n2, 'tcp', address, 30081), address, 'the node itself reaches its own server');
    t.match(ask(n2, 'tcp', address, 30080), /^10\.42\.1\.2$|^fd01:0:0:1::2$/, 'the node reaches a pod of another node');
    t.match(ask(n2, 'udp', address, 30053), /^10\.42\.1\.2$|^fd01:0:0:1::2$/, 'the node reaches its own pod');
  }

  for (const pod of [near, far]) {
    t.equal(ask(pod, 'tcp', client.address, 8080), four, 'packets of a pod leave with the address of the gateway');
    t.equal(ask(pod, 'udp', sixOf(client), 8053), six, 'a pod is answered over UDP and IPv6');
  }

  const before = carried(n2);
  t.ok(before > 0);
  t.match(n2.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ });
  t.ok(carried(n2) >= before, 'a second run writes no flow');

  n2.must('ovs-vsctl', 'del-port', 'br-ex', 'eth0');
  n2.must('ovs-vsctl', 'add-port', 'br-ex', 'eth0');
  await both('after the NIC has got another port number');
  t.match(n2.agent('overlay', 'verify'), { status: 3, stdout: /\+ table=3/ });
  t.match(n2.agent('overlay', 'apply'), { status: 0 });
  reached('after the NIC has got another port number');

  restartSwitch(n2);
  t.match(n2.agent('overlay', 'verify'), { status: 3, stdout: /br-ex does not have this flow/ });
  t.match(n2.agent('overlay', 'apply'), { status: 0 });
  await both('after ovs-vswitchd was killed');
  reached('after ovs-vswitchd was killed');

  n2.must('nft', 'delete', 'element', 'inet', 'microshift_net_overlay', 'services4', `{ tcp . ${four} . 30080 }`);
  t.match(n2.agent('overlay', 'verify'), { status: 3, stdout: /\+ table inet microshift_net_overlay/ });
  t.match(n2.agent('overlay', 'apply'), { status: 0, stdout: /^Done, 1 change:/ });

  const goneFromHere = (when: string, chains: readonly string[]): void => {
    t.notMatch(ofOurs(n2), /0x6d6e6f766c79/, `no flow of the agent exists ${when}`);
    const names = [...n2.must('nft', 'list', 'chains').matchAll(/chain (\w+)/g)].map(([, name]) => name);
    t.strictSame(names, chains, `nftables has no chain for services ${when}`);
  };
  setGateway(n1, n2, ['--remove']);
  t.match(n2.agent('overlay', 'apply'), { status: 0 });
  goneFromHere('without a gateway', ['forward']);
  setGateway(n1, n2, beside);
  t.match(n2.agent('overlay', 'apply'), { status: 0 });
  reached('with a gateway again');

  n2.must('ovs-ofctl', 'add-flow', 'br-ex', foreign);
  killProcess(n1, '/run/ovn/ovnsb_db.pid');
  restartSwitch(n2);
  t.match(
    n2.agent('overlay', 'apply'),
    { status: 5, stderr: /could not connect/ },
    'the apply fails without a central node',
  );
  t.match(
    ofOurs(n2),
    /nw_dst=192\.0\.2\.12,tp_dst=30080/,
    'the flows are restored from the last state of the central node',
  );
  await both('without a central node');

  n2.must('ovs-ofctl', 'add-flow', 'br-ex', foreign);
  t.match(n2.agent('overlay', 'leave'), { status: 0 });
  goneFromHere('on a node that has left', []);
  t.match(
    n2.must('ovs-ofctl', 'dump-flows', 'br-ex', 'cookie=0x99/-1'),
    /dl_type=0x88cc/,
    'the flow of another program stays',
  );
  await both('after the node has left');
}
