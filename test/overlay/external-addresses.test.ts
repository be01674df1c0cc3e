// External addresses of services on a LAN with two gateways, in packets: who answers for which address, before and after a gateway fails.
import t, { type Test } from 'tap';
import { connect } from '../../agent/drivers/ovsdb/index.ts';
import type { OverlayNode } from '../../agent/model/overlay.ts';
import { operationsOf } from '../../agent/overlay/rows/row-operations.ts';
import { hasProgram } from '../cluster/binaries.ts';
import { dual, dualNode, exposure, gatewayOf } from '../unit/overlay/cluster.ts';
import { type ApiObject, factsFor, planAll, serviceObject, sliceObject } from '../unit/workload/services/facts.ts';
import { readRows } from './central.ts';
import { startDaemon } from './daemon.ts';
import { flowAppears } from './flow-appears.ts';
import { configure, dualStack, form } from './form.ts';
import { type Host, missingForHosts, startLan } from './hosts.ts';
import { answeringMacs } from './neighbours.ts';
import { askedOvn, ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';
import { startPod } from './services.ts';

const skip = missingForHosts() ?? (hasProgram('nft', '--version') ? false : 'nft is missing');
const [external, external6] = ['192.0.2.200', '2001:db8::200'];

const web: readonly ApiObject[] = [
  serviceObject('web', {
    type: 'NodePort',
    clusterIPs: ['10.43.0.80', 'fd02::80'],
    externalIPs: [external, external6],
    ports: [{ port: 80, protocol: 'TCP', nodePort: 30080 }],
  }),
  sliceObject('web', [['10.42.0.9', 'n1']]),
  sliceObject('web', [['fd01::9', 'n1']], { name: 'web-six', addressType: 'IPv6' }),
];

/** The cluster as the central node knows it, and the rows of its services. */
async function publish(central: Host, down: readonly string[]): Promise<void> {
  const subnets = (id: number): Partial<OverlayNode> => ({
    subnets: [`10.42.${id - 1}.0/24`, id === 1 ? 'fd01::/64' : `fd01:0:0:${id - 1}::/64`],
  });
  const gateway = (id: number) =>
    gatewayOf(id, {
      addresses: [`192.0.2.${10 + id}/24`, `2001:db8::${10 + id}/64`],
      nextHops: ['192.0.2.254', '2001:db8::fe'],
      isUp: !down.includes(`n${id}`),
    });
  const nodes = [
    dualNode(1, subnets(1)),
    dualNode(2, { ...subnets(2), gateway: gateway(2) }),
    dualNode(3, { ...subnets(3), gateway: gateway(3) }),
  ];
  const client = await connect(central.path('/run/ovn/ovnnb_db.sock'), 15_000);
  try {
    const rows = await readRows(client);
    const facts = {
      ...factsFor(web, nodes, dual),
      exposure: { ...exposure, externalRanges: ['192.0.2.192/27', '2001:db8::200/119'] },
    };
    const operations = operationsOf(planAll(facts, rows), rows.shape);
    await client.transact('OVN_Northbound', operations);
  } finally {
    client.close();
  }
  central.must('ovn-nbctl', `--wait=${down.length === 0 ? 'hv' : 'sb'}`, 'sync');
}

/** One connection from one port, with all the patience of the kernel; what came of it. */
function connectOnce(from: Host, address: string, localPort: number): string {
  const script = `
    const socket = require('net').connect({ port: 80, host: '${address}', localPort: ${localPort} });
    socket.on('data', (answer) => { console.log(String(answer)); process.exit(); });
    socket.on('error', ({ code }) => { console.log(code); process.exit(); });
    setTimeout(() => { console.log('no answer'); process.exit(); }, 110000);`;
  return from.must(process.execPath, '-e', script).trim();
}

function macOf(host: Host): string {
  return host.must('cat', '/sys/class/net/br-ex/address').trim();
}

/** Settles when the neighbour table of a host has a MAC for each of these addresses that it did not ask for (ip-monitor(8)). */
function announcements(host: Host, mac: string, addresses: readonly string[]) {
  const monitor = host.start('sh', '-c', 'ip monitor neigh dev br-ex & echo listening; wait');
  let said = '';
  const has = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${host.name}: no announcement in:\n${said}`)), 100_000);
      const look = (): void => {
        if (!isSo()) return;
        clearTimeout(late);
        resolve();
      };
      monitor.stdout?.on('data', (text) => {
        said += text;
        look();
      });
    });
  return {
    listening: has(() => said.includes('listening')),
    both: has(() => addresses.every((address) => said.includes(`${address} lladdr ${mac} `))),
  };
}

async function onRelease(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  const [n3, client] = [await lan.host('n3', 13), await lan.host('client', 50)];
  for (const host of [n1, n2, n3, client]) {
    // The NIC's own IP stack is mute, as it is below the kernel's data path; everybody else answers ARP and neighbour discovery.
    host.must('sysctl', '-qw', 'net.ipv4.conf.eth0.arp_ignore=8', 'net.ipv6.conf.eth0.disable_ipv6=1');
    host.must('ip', 'address', 'add', `2001:db8::${host.address.split('.')[3]}/64`, 'dev', 'br-ex', 'nodad');
    configure(host, dualStack);
  }
  form(t, [n1, n2, n3]);
  for (const host of [n2, n3]) {
    const six = `2001:db8::${host.address.split('.')[3]}`;
    t.match(n1.agent('overlay', 'pki', 'grant', host.name, '--gateway', six), { status: 0 });
  }
  for (const host of [n2, n3])
    t.match(host.agent('overlay', 'gateway', '--next-hop', '192.0.2.254,2001:db8::fe'), { status: 0 });
  await startDaemon(n1);
  for (const host of [n2, n3]) await startDaemon(host);
  await startPod(n1, n1, '10.42.0.0/24', 'fd01::/64');
  await publish(n1, []);
  for (const host of [n2, n3])
    for (const match of [/tcp,.*nw_dst=192\.0\.2\.200/, /tcp6,.*ipv6_dst=2001:db8::200/])
      await flowAppears(host, 'br-ex', match);

  const answers = (address: string): readonly string[] => answeringMacs(client, address);
  for (const host of [n1, n2, n3])
    for (const address of [host.address, `2001:db8::${host.address.split('.')[3]}`])
      t.strictSame(answers(address), [macOf(host)], `${address} is ${host.name} alone`);
  for (const [address, localPort, source] of [
    [external, 40_001, '100.64.0.3'],
    [external6, 40_002, 'fd98::3'],
  ] as const) {
    t.strictSame(answers(address), [macOf(n2)], `${address} is answered for by one gateway`);
    t.equal(connectOnce(client, address, localPort), source, 'and served there');
  }

  const heard = announcements(client, macOf(n3), [external, external6]);
  await heard.listening;
  n2.must('sh', '-c', 'kill -9 $(cat /run/openvswitch/ovs-vswitchd.pid) $(cat /run/ovn/ovn-controller.pid)');
  await publish(n1, ['n2']);
  for (const match of [/arp_tpa=192\.0\.2\.200/, /nd_target=2001:db8::200/]) await flowAppears(n3, 'br-int', match);
  await heard.both;
  t.equal(connectOnce(client, external, 40_003), '100.64.0.4', 'who still knows the old gateway finds the new one');
  for (const address of [external, external6])
    t.strictSame(answers(address), [macOf(n3)], `${address} is answered for by the other gateway`);
  t.equal(connectOnce(client, external6, 40_004), 'fd98::4');
  t.strictSame(answers(n3.address), [macOf(n3)], 'whose own address it alone has');
}

t.test('external addresses', { skip }, async (t) => {
  for (const which of askedOvn === null ? ovnsHere() : [askedOvn]) await t.test(which, (t) => onRelease(t, which));
});
