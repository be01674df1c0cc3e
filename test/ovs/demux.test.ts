// Flows of a shared bridge in a real ovs-vswitchd: the destination of each kind of frame, and the installation and
// comparison of flows.
import { execFileSync } from 'node:child_process';
import t, { type Test } from 'tap';
import { flowsOf } from '../../agent/drivers/openvswitch/flows.ts';
import type { InboundService } from '../../agent/model/shared-bridge.ts';
import { flowCookie, sharedBridgeFlows } from '../../agent/overlay/services/shared-bridge-flows.ts';
import { withheldCookie, withheldFlows } from '../../agent/overlay/services/withheld-answers.ts';
import { missingParts } from '../ovsdb/real-server.ts';
import { gatewayOf, nodeOf } from '../unit/overlay/cluster.ts';
import { type Daemons, startDaemons } from './daemons.ts';

const skip = missingParts() || (process.getuid?.() !== 0 && 'ovs-vswitchd needs root');
const [nic, cluster, other] = [1, 2, 5];
const mac = '52:54:00:00:00:01';
const foreign = 'cookie=0x99,priority=300,dl_type=0x88cc,actions=drop';

const service = (protocol: 'tcp' | 'sctp', address: string): InboundService => {
  return { protocol, address, port: 30_080, target: null, isServedHere: false };
};
const services = [service('tcp', '192.0.2.11'), service('sctp', '2001:db8::11')];

function flowsFor(vlan: number | null, isAlone: boolean): string[] {
  const gateway = gatewayOf(1, { vlan, addresses: ['192.0.2.11/24', '2001:db8::11/64'] });
  return sharedBridgeFlows(nodeOf(1), gateway, { nic, cluster, isAlone }, services).map(({ flow }) => flow);
}

/** Starts daemons whose bridge has the NIC, the port to br-int, and a third port. */
function startBridge(test: Test): Daemons & { run(program: string, ...words: readonly string[]): string } {
  const daemons = startDaemons();
  test.teardown(() => daemons.stop());
  const environment = { ...process.env, OVS_RUNDIR: daemons.runDirectory };
  const run = (program: string, ...words: readonly string[]): string =>
    execFileSync(program, words, { env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  for (const [name, number] of [
    ['nic', nic],
    ['cluster', cluster],
    ['other', other],
  ] as const) {
    const row = ['set', 'Interface', name, 'type=dummy', `ofport_request=${number}`];
    run('ovs-vsctl', `--db=unix:${daemons.runDirectory}/db.sock`, 'add-port', 'br0', name, '--', ...row);
  }
  return { ...daemons, run };
}

/** Returns the result for a frame, in the words of ofproto/trace (ovs-vswitchd(8)): ports, NORMAL, ct. */
function waysOf(trace: string): string {
  const [, steps = ''] = /^bridge\("br0"\)\n-+\n([\s\S]*?)\nFinal flow/m.exec(trace) ?? [];
  const words = [...steps.matchAll(/^\s+(?:output:(\w+)|(LOCAL|NORMAL|drop)$|(ct)\()/gm)];
  const ways = words.map(([, port, word, tracked]) => port ?? word ?? tracked).join(' ');
  // The trace ends with a drop at connection tracking (ct), after which the packet continues in table 1 as a new one.
  return ways === 'ct drop' ? 'ct' : ways;
}

const tcp = (destination: string): string => `tcp,nw_src=192.0.2.50,nw_dst=${destination},tcp_dst=30080`;
const arriving = `in_port=${nic},dl_src=52:54:00:00:00:50,dl_dst=${mac}`;
const spoken = (port: number | string): string => `in_port=${port},dl_src=${mac},dl_dst=52:54:00:00:00:50`;

t.test('the destination of each kind of frame', { skip }, async (t) => {
  const { run, runDirectory } = startBridge(t);
  const flows = flowsOf('br0', flowCookie, runDirectory);
  const goes = (frame: string, ways: string, what: string): void => {
    t.equal(waysOf(run('ovs-appctl', 'ofproto/trace', 'br0', frame)), ways, what);
  };
  await flows.replace(flowsFor(null, true));
  goes(`${arriving},${tcp('192.0.2.11')}`, `${cluster}`, 'a service');
  goes(
    `${arriving},dl_type=0x86dd,nw_proto=132,ipv6_dst=2001:db8::11,sctp_dst=30080`,
    `${cluster}`,
    'an SCTP service over IPv6',
  );
  goes(`${arriving},${tcp('192.0.2.12')}`, 'ct', "the service's port at another address of the node");
  goes(`${arriving},udp,nw_dst=192.0.2.11,udp_dst=6081`, 'LOCAL', 'a tunnel is not tracked');
  goes(`${spoken(cluster)},udp,nw_dst=192.0.2.50,udp_dst=6081`, 'drop', 'a tunnel packet that a pod has made');
  goes(`${spoken(cluster)},dl_type=0x86dd,nw_proto=17,udp_dst=4789`, 'drop', 'the same frame over IPv6');
  goes(`${arriving},arp,arp_op=2`, `${cluster} LOCAL`, 'an ARP answer, for the gateway or the node');
  goes(`${arriving},icmp6,icmpv6_type=136`, `${cluster} LOCAL`, 'a neighbour advertisement, untracked');
  goes(`${arriving},dl_type=0x888e`, 'LOCAL', 'a frame that is not IP');
  goes(`${arriving},dl_vlan=9,${tcp('192.0.2.11')}`, 'NORMAL', 'a frame of another VLAN');
  goes(
    `in_port=${other},dl_src=52:54:00:00:00:77,dl_dst=${mac},${tcp('192.0.2.11')}`,
    'LOCAL',
    'a frame from a port that is not the NIC',
  );
  goes(`in_port=${cluster},dl_src=52:54:00:00:00:99,arp`, 'drop', 'a foreign MAC from the cluster');
  goes(`${spoken(cluster)},arp`, `${nic}`, 'ARP of the gateway');
  goes(`${spoken(cluster)},${tcp('192.0.2.50')}`, `ct ${nic}`, 'a packet of the gateway');
  goes(`${spoken('LOCAL')},${tcp('192.0.2.50')}`, `ct ${nic}`, 'a packet of the node');
  goes(`${spoken('LOCAL')},icmp6,icmpv6_type=135`, `${nic}`, "the node's neighbour solicitation, untracked");
  goes(`in_port=LOCAL,dl_src=${mac},dl_dst=ff:ff:ff:ff:ff:ff,udp,udp_dst=67`, `${nic}`, "the node's broadcast");

  await flows.replace(flowsFor(7, false));
  goes(`${arriving},dl_vlan=7,${tcp('192.0.2.11')}`, `${cluster}`, "a service in the gateway's VLAN");
  goes(`${arriving},${tcp('192.0.2.11')}`, 'NORMAL', "an untagged frame, which is not in the gateway's VLAN");
  goes(
    `${spoken('LOCAL')},dl_vlan=7,${tcp('192.0.2.50')}`,
    'ct NORMAL',
    'a packet of the node on a bridge with other ports, which forwards by its MAC table',
  );
  goes(`${spoken(cluster)},dl_vlan=7,arp`, `${nic}`, 'a frame of the gateway on a bridge with other ports');

  await flows.replace(flowsFor(null, true));
  run('ovs-vsctl', `--db=unix:${runDirectory}/db.sock`, 'del-port', 'br0', 'nic');
  goes(`${spoken('LOCAL')},arp`, 'NORMAL', 'a frame of the node after the removal of the NIC');
});

t.test('answers for addresses of other gateways', { skip }, async (t) => {
  const { run, runDirectory } = startBridge(t);
  await flowsOf('br0', flowCookie, runDirectory).replace(flowsFor(null, true));
  const withheld = flowsOf('br0', withheldCookie, runDirectory);
  const wanted = withheldFlows(cluster, ['192.0.2.200', '2001:db8::200']).map(({ flow }) => flow);
  await withheld.replace(wanted);
  t.strictSame(await withheld.compare(wanted), { missing: [], stale: [] }, 'the written flows equal the wanted ones');
  const goes = (frame: string, ways: string, what: string): void => {
    t.equal(waysOf(run('ovs-appctl', 'ofproto/trace', 'br0', frame)), ways, what);
  };
  const [reply, request] = ['arp,arp_op=2,arp_spa', 'arp,arp_op=1,arp_spa'];
  const advertised = 'icmp6,icmpv6_type=136,nd_target';
  const everybody = `in_port=${cluster},dl_src=${mac},dl_dst=33:33:00:00:00:01`;
  goes(`${spoken(cluster)},${reply}=192.0.2.200`, 'drop', 'an ARP answer');
  goes(`${spoken(cluster)},${advertised}=2001:db8::200`, 'drop', 'a solicited neighbour advertisement');
  goes(`${spoken(cluster)},${request}=192.0.2.200`, `${nic}`, 'an ARP announcement, which is a request');
  goes(
    `${everybody},${advertised}=2001:db8::200`,
    `${nic}`,
    'an unsolicited neighbour advertisement, which is a multicast',
  );
  goes(`${spoken(cluster)},${reply}=192.0.2.11`, `${nic}`, "an ARP answer for the gateway's own address");
  goes(
    `${spoken(cluster)},${advertised}=2001:db8::11`,
    `${nic}`,
    "a neighbour advertisement for the gateway's own address",
  );
  goes(
    `in_port=${nic},dl_src=52:54:00:00:00:50,dl_dst=${mac},${reply}=192.0.2.200`,
    `${cluster} LOCAL`,
    'an ARP answer from the LAN',
  );
});

t.test('flows are compared and replaced', { skip }, async (t) => {
  const { run, runDirectory, stop } = startBridge(t);
  const flows = flowsOf('br0', flowCookie, runDirectory);
  const wanted = flowsFor(null, true);
  const dump = (): string => run('ovs-ofctl', '-O', 'OpenFlow14', '--no-stats', 'dump-flows', 'br0');
  run('ovs-ofctl', 'add-flow', 'br0', foreign);
  const [missing, none] = [(await flows.compare(wanted)).missing, await flows.compare([])];
  t.equal(missing.length, wanted.length, 'all flows are missing at first');
  t.strictSame(none, { missing: [], stale: [] }, 'flows of other programs are ignored');
  await flows.replace(wanted);
  t.strictSame(await flows.compare(wanted), { missing: [], stale: [] }, 'the written flows equal the wanted ones');
  run('ovs-ofctl', '--strict', 'del-flows', 'br0', 'table=1,priority=100,ct_mark=1');
  run('ovs-ofctl', 'add-flow', 'br0', `cookie=${flowCookie},priority=7,arp,actions=drop`);
  const drift = await flows.compare(wanted);
  t.match(drift.missing.join('\n'), /^table=1 priority=100,ct_mark=0x1 actions=output:2$/);
  t.match(drift.stale.join('\n'), /^priority=7,arp actions=drop$/);
  const before = dump();
  await t.rejects(flows.replace([...wanted, 'table=0,priority=1,actions=output:nowhere']), /nowhere/);
  t.equal(dump(), before, 'no flow is written if Open vSwitch cannot parse one of them');
  await flows.replace([]);
  t.equal((await flows.compare(wanted)).stale.length, 0);
  t.match(dump(), /cookie=0x99,.* priority=300,dl_type=0x88cc/, 'the flow of another program is kept');
  stop();
  await t.rejects(flows.compare(wanted), /ovs-vswitchd does not respond/);
});
