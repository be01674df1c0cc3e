// Paths of packets to a peer in VXLAN and from it, which ovn-trace does not follow to the VTEP.
import t from 'tap';
import type { DatabaseRows } from '../../../agent/model/rows.ts';
import { publishedPeers } from '../../../agent/overlay/peers/published-peers.ts';
import { departureOf } from '../../../agent/trace/ends.ts';
import { localPart } from '../../../agent/trace/local-part.ts';
import { networkOf } from '../../../agent/trace/logical-network.ts';
import { ruleBook } from '../../../agent/trace/rules.ts';
import { beginWay, continueWay, nextStart, wayOf } from '../../../agent/trace/way.ts';
import { isThrough, traceText } from '../../../agent/view/trace-view.ts';
import { f5 } from '../overlay/cluster.ts';
import { recordedRows } from './recorded.ts';

const recorded = recordedRows('26.03', 'n1');
const { tables } = recorded.southbound;
const router = (tables.Port_Binding ?? []).find((row) => row.logical_port === 'rtos-n2')?.datapath ?? '';
const southbound: DatabaseRows = {
  ...recorded.southbound,
  tables: {
    ...tables,
    Datapath_Binding: [
      ...(tables.Datapath_Binding ?? []),
      { _uuid: 'vtep', tunnel_key: 99, external_ids: { name: 'vtep_f5', 'logical-switch': 'vtep' } },
    ],
    Port_Binding: [
      ...(tables.Port_Binding ?? []),
      {
        _uuid: 'on-router',
        logical_port: 'rtov-f5',
        type: 'patch',
        datapath: router,
        tunnel_key: 98,
        mac: ['0a:58:0a:81:04:01 10.129.4.1/24'],
        options: { peer: 'vtor-f5' },
        chassis: [],
      },
      {
        _uuid: 'on-switch',
        logical_port: 'vtor-f5',
        type: 'patch',
        datapath: 'vtep',
        tunnel_key: 1,
        mac: ['router'],
        options: { peer: 'rtov-f5' },
        chassis: [],
      },
    ],
    Static_MAC_Binding: [{ _uuid: 'mac', logical_port: 'rtov-f5', ip: '10.129.4.2', mac: f5.vtep.mac }],
    SB_Global: [{ _uuid: 'root', external_ids: publishedPeers([f5]) }],
  },
};
const network = networkOf(southbound);
const rules = ruleBook(southbound, recorded.northbound);
const question = { source: 'n2', destination: '10.129.4.5', protocol: 'tcp', port: 80, fromNode: null } as const;

/** Output of ovn-trace: the cluster's router asks for the MAC of the next hop. */
const onRouter = `ingress(dp="ovn_cluster_router", inport="rtos-n2")
-----
18. lr_in_policy (northd.c:1): ip4.dst == 10.129.4.0/24, priority 1003, uuid 00000000
    reg0 = 10.129.4.2;
    outport = "rtov-f5";
    next;
27. lr_in_arp_request (northd.c:1): eth.dst == 00:00:00:00:00:00, priority 100, uuid 00000000
    arp { eth.dst = ff:ff:ff:ff:ff:ff; output; };

    arp
    ---
`;
const onSwitch = `ingress(dp="vtep_f5", inport="vtor-f5")
-----
32. ls_in_l2_lkup (northd.c:1): 1, priority 0, uuid 00000000
    outport = get_fdb(eth.dst);
    remote_outport = get_remote_fdb(eth.dst);
    next;
33. ls_in_l2_unknown (northd.c:1): outport == "none" && remote_outport == "none", priority 50, uuid 00000000
    drop;
`;

t.test('a packet to a peer in VXLAN', (t) => {
  const { inPort, packet } = departureOf(question, network, southbound);
  const first = continueWay(
    beginWay({ network, rules, undo: [] }, inPort, inPort.chassis, packet),
    { inPort, packet, chassis: inPort.chassis, seen: [], forcedBy: null, reportedUpTo: -1 },
    onRouter,
  );
  const next = nextStart(first);
  t.match(next, { inPort: { name: 'vtor-f5' }, packet: { ethDestination: f5.vtep.mac } }, 'the MAC is not asked for');
  if (next === null) throw new Error('the path goes on');
  const way = wayOf(continueWay(first, next, onSwitch));
  t.strictSame(way.end, { how: 'vxlan', peer: 'f5', address: '192.0.2.9', vni: 0, node: 'n2' });
  const result = { question, node: 'n2', there: { ...way, here: [] }, back: null };
  t.ok(isThrough(result));
  t.match(
    traceText(result, (_, text) => text),
    /Leaves n2 in VXLAN to 192\.0\.2\.9 with VNI 0, for the peer f5, from \S+ to 10\.129\.4\.5\. ovn-trace follows it no/,
  );
  const other = { ...next, packet: { ...next.packet, ethDestination: '02:00:00:00:00:99' } };
  t.match(wayOf(continueWay(first, other, onSwitch)).end, { how: 'dropped', where: 'vtep_f5' }, 'another MAC');
  t.end();
});

t.test('a packet from a peer in VXLAN', (t) => {
  const from = departureOf({ ...question, source: '10.129.4.5', destination: 'n2' }, network, southbound);
  t.match(from, {
    inPort: { name: 'rtov-f5' },
    packet: { ethSource: f5.vtep.mac, ethDestination: '0a:58:0a:81:04:01' },
  });
  t.end();
});

t.test('the output of Open vSwitch to a VTEP', (t) => {
  const rows: DatabaseRows = {
    ...recorded.switchRows,
    tables: {
      Bridge: [{ _uuid: 'b', name: 'br-int', ports: ['p'] }],
      Port: [{ _uuid: 'p', name: 'ovn-evpn-4789', interfaces: ['i'] }],
      Interface: [
        {
          _uuid: 'i',
          name: 'ovn-evpn-4789',
          type: 'vxlan',
          ofport: [5],
          options: { remote_ip: 'flow' },
          external_ids: {},
        },
      ],
    },
  };
  const text = `bridge("br-int")
----------------
45. reg15=0x80000001, priority 50, cookie 0xec48fa6d
    set_field:192.0.2.11->tun_src
    set_field:192.0.2.9->tun_dst
    set_field:0/0xffffff->tun_id
    output:5
`;
  const part = localPart({ device: 'pod', flow: 'tcp' }, text, { network, rules }, rows);
  t.match(part.outputs, [{ device: 'ovn-evpn-4789', kind: 'tunnel', address: '192.0.2.9', tunId: 0, datapath: null }]);
  t.end();
});
