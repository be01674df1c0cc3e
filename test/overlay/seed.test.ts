// Cluster that is made with the commands of ovn-kubernetes' first tool, as its guides of 2017 show them, with other
// addresses.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { flowCookie } from '../../agent/overlay/services/shared-bridge-flows.ts';
import { writesDuring } from './database-writes.ts';
import {
  type Ended,
  type Host,
  killProcess,
  type Lan,
  missingForHosts,
  startCentral,
  startController,
  startLan,
  startVswitchd,
} from './hosts.ts';
import { blocksOf, shownAfterMaster, shownAfterNodes } from './of-2017.ts';
import { ping } from './ping.ts';

const skip = missingForHosts() ?? false;

/** First commands on every node. The test starts the daemons, and runs the other commands in a shell. */
const startNode = `
ovs-vsctl set Open_vSwitch . external_ids:ovn-remote="tcp:$CENTRAL_IP:6642" external_ids:ovn-nb="tcp:$CENTRAL_IP:6641" external_ids:ovn-encap-ip=$LOCAL_IP external_ids:ovn-encap-type="$ENCAP_TYPE"
## set system_id
id_file=/etc/openvswitch/system-id.conf
test -e $id_file || uuidgen > $id_file
ovs-vsctl set Open_vSwitch . external_ids:system-id=$(cat $id_file)
`;

/** Shell text that replaces the bridge of a node by the result of `ovn-k8s-util nics-to-bridge eth0`. */
const asNicsToBridge = `
ovs-vsctl del-br br-ex -- add-br breth0 -- set bridge breth0 datapath_type=netdev -- add-port breth0 eth0
ip address add $LOCAL_IP/24 dev breth0
ip link set breth0 up
ip route add default via 192.0.2.254
`;

const openDatabases = `
ovn-nbctl set-connection ptcp:6641
ovn-sbctl set-connection ptcp:6642
`;

const masterInit = `
ovs-vsctl set Open_vSwitch . external_ids:k8s-api-server="127.0.0.1:8080"
ovn-k8s-overlay master-init \\
--cluster-ip-subnet="192.168.0.0/16" \\
--master-switch-subnet="192.168.1.0/24" \\
--node-name="kube-master"
`;

const tellApiServer = `
K8S_API_SERVER_IP=192.0.2.11
ovs-vsctl set Open_vSwitch . \\
external_ids:k8s-api-server="$K8S_API_SERVER_IP:8080"
`;

const minionInit = `
ovn-k8s-overlay minion-init \\
--cluster-ip-subnet="192.168.0.0/16" \\
--minion-switch-subnet="$SUBNET" \\
--node-name="$NODE_NAME"
`;

const tellApiServerOfHttps = `
K8S_API_SERVER_IP=192.0.2.11
ovs-vsctl set Open_vSwitch . \\
external_ids:k8s-api-server="https://$K8S_API_SERVER_IP" \\
external_ids:k8s-ca-certificate="/etc/kubernetes/certs/ca.crt" \\
external_ids:k8s-api-token="YMMFKeD4XqLDakZKQbTCvueGlcdcdgBx"
`;

const gatewayInit = `
ovn-k8s-overlay gateway-init \\
--cluster-ip-subnet="192.168.0.0/16" \\
--bridge-interface breth0 \\
--physical-ip "$PHYSICAL_IP" \\
--node-name="$NODE_NAME" \\
--default-gw "$EXTERNAL_GATEWAY"
`;

/** Shell text that creates a NIC for the gateway, on the LAN of the other NICs, with an address of the host. */
const secondNic = `
ip link add eth1 type veth peer name eth1-lan
ip address add 192.0.2.113/24 dev eth1
ip link set eth1-lan up
ovs-vsctl add-port breth0 eth1-lan
`;

const helper = `
ovn-k8s-gateway-helper --physical-bridge=breth0 --physical-interface=eth0 \\
--pidfile --detach
`;

const dedicatedInit = `
ovn-k8s-overlay gateway-init \\
--cluster-ip-subnet="192.168.0.0/16" \\
--physical-interface eth1 \\
--physical-ip 192.0.2.113/24 \\
--node-name="kube-node2" \\
--default-gw 192.0.2.254 --rampout-ip-subnet "192.168.2.0/24"
`;

const helperPid = '/run/openvswitch/ovn-k8s-gateway-helper.pid';
const ours = `ovs-ofctl --no-stats dump-flows breth0 cookie=${flowCookie}/-1`;
// The number of flows is polled every 0.1 s.
const untilFlows = (count: number): string => `until test "$(${ours} | wc -l)" -ge ${count}; do sleep 0.1; done`;

function flowsOf(host: Host): readonly string[] {
  return host.must('sh', '-c', ours).trim().split('\n').toSorted();
}

/** Returns the lines of a document that are commands. */
function commandsOf(text: string): string {
  return [...text.matchAll(/^ {4}(.*)$/gm)].map(([, line]) => line).join('\n');
}

type Variables = Readonly<Record<string, string>>;

/** Runs shell text on the node with these variables. */
function paste(host: Host, text: string, variables: Variables = {}): Ended {
  return host.run(['bash', '--norc', '-e'], scriptOf(text, variables));
}

function scriptOf(text: string, variables: Variables): string {
  return [...Object.entries(variables).map(([name, value]) => `${name}=${value}`), text].join('\n');
}

/** Runs shell text on a node without blocking this process, so that texts run on several nodes at the same time. */
async function pasteAtOnce(host: Host, text: string, variables: Variables): Promise<Pick<Ended, 'status' | 'stdout'>> {
  const child = host.start('bash', '--norc', '-e', '-c', scriptOf(text, variables));
  let stdout = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.resume();
  const [status] = await once(child, 'close');
  return { status, stdout };
}

/**
 * Creates a node with the old names of the commands, whose bridge has the node's address; connects the node to the
 * cluster.
 */
async function startHost(t: Test, lan: Lan, name: string, place: number, encap: string): Promise<Host> {
  const host = await lan.host(`k${place}`, place);
  host.must('hostname', name);
  t.match(paste(host, asNicsToBridge, { LOCAL_IP: host.address }), { status: 0 });
  host.must('rm', '/etc/openvswitch/system-id.conf');
  for (const old of ['ovn-k8s-overlay', 'ovn-k8s-util', 'ovn-k8s-gateway-helper'])
    host.must('ln', '-s', '/opt/program/microshift-net', `/usr/bin/${old}`);
  if (name === 'kube-master') {
    startCentral(host);
    t.match(paste(host, openDatabases), { status: 0 });
  }
  const variables = { CENTRAL_IP: '192.0.2.11', LOCAL_IP: host.address, ENCAP_TYPE: encap };
  t.match(paste(host, startNode, variables), { status: 0 }, `${name} gets the address of the cluster`);
  startController(host);
  return host;
}

const done = { status: 0, stdout: 'Initialization complete.\n' };
const shown = (host: Host): readonly string[] => blocksOf(host.must('ovn-nbctl', 'show'));
const systemId = (host: Host): string => host.must('cat', '/etc/openvswitch/system-id.conf').trim();

t.test('a cluster by the commands of 2017, from its daemons to its gateway', { skip }, async (t) => {
  const lan = await startLan(t);
  const master = await startHost(t, lan, 'kube-master', 11, 'geneve,vxlan');
  const node1 = await startHost(t, lan, 'kube-node1', 12, 'geneve,vxlan');
  const node2 = await startHost(t, lan, 'kube-node2', 13, 'geneve,vxlan');
  const node3 = await startHost(t, lan, 'kube-node3', 14, 'vxlan');
  const ofNode1 = { NODE_NAME: 'kube-node1', SUBNET: '192.168.2.0/24' };
  // The kubelet uses lower case, whatever the command line has.
  const ofNode2 = { NODE_NAME: 'Kube-Node2', SUBNET: '192.168.3.0/24' };

  t.match(
    paste(node1, minionInit, ofNode1),
    { status: 2, stderr: /has no cluster; begin one .*master-init/ },
    'no overlay exists yet',
  );

  const begun = paste(master, masterInit);
  t.match(begun, {
    ...done,
    stderr: /warning: tcp:192\.0\.2\.11:6641 is not encrypted, and any host that reaches the port/,
  });
  t.strictSame(shown(master), blocksOf(shownAfterMaster), 'ovn-nbctl shows the same as in 2017');

  const whole = `${tellApiServer}${minionInit}${tellApiServerOfHttps}`;
  const both = [pasteAtOnce(node1, whole, ofNode1), pasteAtOnce(node2, whole, ofNode2)];
  t.match(await Promise.all(both), [done, done], 'two nodes join at the same time');
  const now = shown(master);
  for (const block of blocksOf(shownAfterNodes)) t.ok(now.includes(block), block);
  t.equal(now.length, 5, 'the cluster has a switch per node, the switch between routers, and the router');

  t.equal(
    node1.must('find', '/etc', '-type', 'f', '-newer', '/etc/openvswitch/system-id.conf'),
    '',
    'no file in /etc is written',
  );

  t.equal(ping(node2, '192.168.2.2'), 63, 'node to node, over a router');
  t.equal(ping(node1, '192.168.1.2'), 63, 'node1 reaches the master');

  const tunnels = [
    [master, 'geneve'],
    [node2, 'geneve'],
    [node3, 'vxlan'],
  ] as const;
  for (const [host, type] of tunnels) {
    const port = `ovn-${systemId(host).slice(0, 6)}-0`;
    node1.must('ovs-vsctl', '--timeout=60', 'wait-until', 'Interface', port, `type=${type}`);
    t.match(
      node1.must('ovs-vsctl', 'show').replaceAll(/\n\s+/g, ' '),
      new RegExp(
        `Port "?${port}"? Interface "?${port}"? type: ${type} options: \\{csum="true", key=flow, .*remote_ip="${host.address}"\\}`,
      ),
      `a tunnel to ${host.name}`,
    );
  }
  t.match(
    node1.must('ovs-vsctl', 'show').replaceAll(/\n\s+/g, ' '),
    /Bridge br-int fail_mode: secure .*Port k8s-kube-node1 Interface k8s-kube-node1 type: internal\b/,
  );

  const bridged = node3.run(['ovn-k8s-util', 'nics-to-bridge', 'eth0']);
  t.match(
    bridged,
    { status: 5, stderr: /system bus/ },
    'a bridge is made with NetworkManager, which no node of this test has',
  );
  const ofGateway = { NODE_NAME: 'kube-node3', PHYSICAL_IP: '192.0.2.14/24', EXTERNAL_GATEWAY: '192.0.2.254' };
  t.match(
    paste(node3, `${tellApiServer}${gatewayInit}`, ofGateway),
    done,
    'a gateway on a shared bridge is made on a node without pods',
  );
  t.match(paste(node3, helper), { status: 0, stdout: 'Nothing to do.\n' }, 'gateway-init has made the flows already');
  node3.must('ovs-ofctl', 'del-flows', 'breth0');
  node3.must('ovs-ofctl', 'add-flow', 'breth0', 'priority=0,actions=NORMAL');
  // Both results are accepted, because the running helper may have restored the flows already.
  const beside = paste(node3, helper);
  t.match(beside, { status: 0, stdout: /^Done, \d+ flows|^Nothing to do/, stderr: /process \d+ keeps them/ });
  const wanted = flowsOf(node3);
  t.ok(wanted.length > 5, 'node3 has its flows again');
  for (const name of ['ovnnb_db', 'ovnsb_db']) master.must('sh', '-c', `kill -STOP $(cat /run/ovn/${name}.pid)`);
  killProcess(node3, '/run/openvswitch/ovs-vswitchd.pid');
  startVswitchd(node3);
  node3.must('timeout', '60', 'sh', '-c', untilFlows(wanted.length));
  t.strictSame(flowsOf(node3), wanted, 'node3 keeps its flows without a central node');
  for (const name of ['ovnnb_db', 'ovnsb_db']) master.must('sh', '-c', `kill -CONT $(cat /run/ovn/${name}.pid)`);
  node3.must('sh', '-c', 'pid=$(cat "$1"); kill "$pid"; pidwait -F "$1" || true', 'sh', helperPid);
  t.match(node3.run(['test', '-e', helperPid]), { status: 1 }, 'the helper ends when the unit stops');
  const outside = '192.0.2.99';
  const rampoutInit = `${gatewayInit.trimEnd()} --rampout-ip-subnets=192.168.1.0/24`;
  t.match(paste(node3, rampoutInit, ofGateway), done);
  node1.must('ip', 'address', 'add', `${outside}/24`, 'dev', 'breth0');
  master.must('ip', 'route', 'add', outside, 'via', '192.168.1.1');
  t.equal(ping(master, outside), 62, 'the master reaches the LAN by the gateway, over vxlan');
  t.equal(ping(node1, node3.address), 64, 'node1 reaches the address of node3 directly');
  t.equal(ping(master, outside), 62, 'the gateway still forwards packets');
  t.match(paste(node2, helper), { status: 2, stderr: /no gateway of this node leaves by breth0/ });
  t.match(paste(node3, helper.replace('=eth0', '=eth9')), { status: 2, stderr: /eth9 is not in breth0/ });
  t.match(paste(node2, secondNic), { status: 0 });
  t.match(paste(node2, dedicatedInit), done, 'a gateway with a NIC of its own is made on a node with pods');
  t.match(shown(master).join('\n'), / {4}port breth0_kube-node3\n(.*\n){5}switch UUID \(ext_kube-node3\)/);
  t.match(shown(master).join('\n'), / {4}port eth1_kube-node2\n(.*\n){5}switch UUID \(ext_kube-node2\)/);
  t.match(
    node3.must('ovs-vsctl', 'get', 'Bridge', 'breth0', 'other_config'),
    node3.must('cat', '/sys/class/net/breth0/address').trim(),
    'a bridge that is shared keeps its MAC',
  );
  t.notMatch(
    node2.must('ip', 'address', 'show', 'dev', 'eth1'),
    /inet /,
    'the NIC has given its address to the gateway router',
  );
  t.ok((ping(node1, '192.0.2.113') ?? 0) > 64, 'the gateway router answers with the TTL of OVN and not of Linux');
  t.match(
    master.must('ovn-nbctl', 'lr-route-list', 'kube-master'),
    / 192\.168\.2\.0\/24 +100\.64\.1\.\d+ src-ip/,
    'both spellings of the option route a subnet to its gateway',
  );

  const advertisements = 'net.ipv6.conf.k8s-kube-node1.accept_ra';
  t.equal(node1.must('sysctl', '-n', advertisements), '0\n', 'router advertisements of pods are ignored');
  node1.must('sysctl', '-qw', `${advertisements}=1`);
  node1.must('ip', 'address', 'flush', 'dev', 'k8s-kube-node1');
  t.match(paste(node1, minionInit, ofNode1), done);
  t.match(
    node1.must('ip', '-brief', 'address', 'show', 'k8s-kube-node1'),
    '192.168.2.2/24',
    'the command restores the address',
  );
  t.equal(node1.must('sysctl', '-n', advertisements), '0\n', 'router advertisements are ignored again');

  const again = await writesDuring(master, ['OVN_Northbound', 'OVN_Southbound', 'Open_vSwitch'], () => {
    t.match(paste(master, masterInit), done);
    t.match(paste(node1, minionInit, ofNode1), done);
    t.match(paste(node2, minionInit, ofNode2), done);
    t.match(paste(node2, dedicatedInit), done);
    t.match(paste(node3, rampoutInit, ofGateway), done);
  });
  t.strictSame(again, [], 'a second run writes nothing on the central node');
  for (const [host, text, variables] of [
    [node1, minionInit, ofNode1],
    [node2, minionInit, ofNode2],
    [node2, dedicatedInit, {}],
    [node3, rampoutInit, ofGateway],
  ] as const) {
    const onNode = await writesDuring(host, ['Open_vSwitch'], () => {
      t.match(paste(host, text, variables), done);
    });
    t.strictSame(onNode, [], `a second run writes nothing on ${host.name}`);
  }

  const [, back = ''] = readFileSync('docs/use/ovn-k8s-names.md', 'utf8').split('## Removing a node\n');
  const [, central = '', onNode = ''] = back.split(/^On the /m);
  t.match(paste(master, commandsOf(central)), { status: 0, stderr: '' }, 'the commands of the document remove a node');
  t.match(paste(node2, commandsOf(onNode).replace(/^systemctl .*$/m, '')), { status: 0 });
  const left = master.must('ovsdb-client', 'dump', 'unix:/run/ovn/ovnnb_db.sock', 'OVN_Northbound');
  t.notMatch(left, 'kube-node2', 'no row of the removed node is left');
});

/** Keys as INSTALL.SSL.md of that time describes them: each side trusts the certificate of the other. */
const makeKeys = `
cd /etc/openvswitch
for name in ovnnb ovncontroller; do
  openssl req -x509 -newkey rsa:2048 -nodes -keyout $name-privkey.pem -out $name-cert.pem -subj /CN=$name -days 2 2> /dev/null
done
cp ovnnb-cert.pem ovnnb-ca.cert
ovn-nbctl set-ssl /etc/openvswitch/ovnnb-privkey.pem /etc/openvswitch/ovnnb-cert.pem /etc/openvswitch/ovncontroller-cert.pem
ovn-nbctl set-connection pssl:6641
ovs-vsctl set Open_vSwitch . external_ids:ovn-nb=ssl:$LOCAL_IP:6641
`;

t.test('a northbound database with TLS', { skip }, async (t) => {
  const lan = await startLan(t);
  const master = await startHost(t, lan, 'kube-master', 11, 'geneve');
  t.match(paste(master, makeKeys, { LOCAL_IP: master.address }), { status: 0 });
  const result = paste(master, masterInit);
  t.match(result, done, 'master-init succeeds with the files of INSTALL.SSL.md');
  t.notMatch(result.stderr, 'not encrypted');
  master.must('mv', '/etc/openvswitch/ovnnb-ca.cert', '/root/ca.pem');
  t.match(paste(master, masterInit), { status: 2, stderr: /ovnnb-ca\.cert is missing.*--nb-cacert FILE/ });
  const init = masterInit.trimEnd();
  t.match(paste(master, `${init} --nb-cacert=/root/ca.pem`), done, 'with another one');
  const stranger = `${init} --nb-cacert=/etc/openvswitch/ovncontroller-cert.pem`;
  t.match(paste(master, stranger), { status: 2, stderr: /--nb-privkey, --nb-cert and --nb-cacert/ });
});
