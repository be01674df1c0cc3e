// Pods with both address families on real nodes: each pod has an address of each family, and reaches other pods over
// each. A policy blocks both families.
import t from 'tap';
import { openMirror, openSession } from '../../agent/drivers/ovsdb/index.ts';
import { startCniCluster } from './cni-cluster.ts';
import { startDaemon } from './daemon.ts';
import { dualStack } from './form.ts';
import { cni, inPod, missingForPods, ofPods, type Sandbox } from './pods.ts';
import { talk } from './talk.ts';

const skip = missingForPods() ?? false;
const limitMs = 30_000;
const closed = { metadata: { name: 'closed' }, spec: { podSelector: {}, policyTypes: ['Ingress'] } };
const policies = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';

/**
 * Program that prints whether the echo server of a pod answers a connection; the limit is short, because a longer wait
 * proves nothing.
 */
const attempt = `
const socket = require('net').connect(4000, process.argv[1], () => { console.log('answered'); process.exit(); });
socket.on('error', ({ code }) => { console.log(code); process.exit(); });
setTimeout(() => { console.log('silent'); process.exit(); }, 1500);`;

t.test('pods with both families', { skip }, async (t) => {
  const cluster = await startCniCluster(t, dualStack);
  if (cluster === null) return;
  const { hosts, server } = cluster;
  const [n1, n2] = hosts;
  for (const host of hosts) await startDaemon(host);
  const plugged = async (host: typeof n1, name: string) => {
    const { sandbox } = await cluster.pod(host, name);
    const { status, result } = await cni(host, 'ADD', sandbox);
    t.equal(status, 0);
    const addresses: string[] = result.ips.map(({ address }: { address: string }) => address.replace(/\/.*/, ''));
    return { sandbox, result, addresses, net: inPod(host, sandbox) };
  };
  const a = await plugged(n1, 'a');
  const b = await plugged(n2, 'b');
  t.match(a.result, {
    ips: [
      { address: '10.42.0.3/24', gateway: '10.42.0.1' },
      { address: 'fd01::3/64', gateway: 'fd01::1' },
    ],
    routes: [{ dst: '10.42.0.0/16' }, { dst: '10.43.0.0/16' }, { dst: '100.64.0.0/16' }, {}, {}, {}, {}, {}],
  });
  t.strictSame(b.addresses, ['10.42.1.3', 'fd01:0:0:1::3']);
  t.match(await cni(n1, 'CHECK', a.sandbox, { prevResult: a.result }), { status: 0 });
  for (const address of b.addresses) {
    t.equal(await (await talk(a.net, b.net, address)).say(address), address, `a reaches b by ${address}`);
    t.equal(n1.must(process.execPath, '-e', attempt, address).trim(), 'answered', 'the node of pod a reaches pod b');
  }

  const session = openSession({
    remotes: `unix:${n1.path('/run/ovn/ovnnb_db.sock')}`,
    database: 'OVN_Northbound',
    limitMs,
  });
  t.teardown(() => session.close());
  const mirror = await openMirror(session, { ACL: { columns: ['match'] } }, limitMs);
  const lists = mirror.table('ACL');
  const before = lists.size;
  t.match(await server.call('POST', policies, closed), { status: 201 });
  await mirror.until(() => lists.size > before, limitMs);
  n1.must('ovn-nbctl', '--wait=hv', 'sync');
  const asked = (address: string): string => a.net.must(process.execPath, '-e', attempt, address).trim();
  t.strictSame(b.addresses.map(asked), ['silent', 'silent'], 'a policy blocks both addresses');
  t.match(await server.call('DELETE', `${policies}/closed`), { status: 200 });
  await mirror.until(() => lists.size === before, limitMs);
  n1.must('ovn-nbctl', '--wait=hv', 'sync');
  t.strictSame(b.addresses.map(asked), ['answered', 'answered'], 'both addresses answer without the policy');

  const plug: readonly (readonly [typeof n1, Sandbox])[] = [
    [n1, a.sandbox],
    [n2, b.sandbox],
  ];
  for (const [host, sandbox] of plug) {
    t.match(await cni(host, 'DEL', sandbox), { status: 0 });
    t.strictSame(ofPods(host), []);
  }
});
