// A sample document of every command about a cluster, made from facts.
import type { OverlayChanges } from '../../../../agent/model/overlay-plan.ts';
import type { PortState } from '../../../../agent/model/overlay-port.ts';
import type { OverlayRecord } from '../../../../agent/model/overlay-record.ts';
import type { TracedWay } from '../../../../agent/model/overlay-trace.ts';
import type { JsonDocument } from '../../../../agent/view/json/document.ts';
import {
  deleteDocument,
  diffDocument,
  manifestsApplyDocument,
  manifestsStatusDocument,
  renderDocument,
} from '../../../../agent/view/json/manifests-json.ts';
import {
  isolationDisableDocument,
  isolationEnableDocument,
  isolationShowDocument,
} from '../../../../agent/view/json/overlay-isolation-json.ts';
import {
  gatewayDocument,
  initDocument,
  joinDocument,
  overlayApplyDocument,
  overlayPlanDocument,
  overlayVerifyDocument,
} from '../../../../agent/view/json/overlay-json.ts';
import { leaveDocument, overlayDisableDocument } from '../../../../agent/view/json/overlay-leave-json.ts';
import {
  peerAddDocument,
  peerListDocument,
  peerRemoveDocument,
} from '../../../../agent/view/json/overlay-peer-json.ts';
import {
  bundleDocument,
  certificatesDocument,
  grantDocument,
  pkiInitDocument,
  requestDocument,
  rotateDocument,
} from '../../../../agent/view/json/overlay-pki-json.ts';
import {
  portAddDocument,
  portListDocument,
  portRemoveDocument,
} from '../../../../agent/view/json/overlay-port-json.ts';
import { overlayRoutesDocument } from '../../../../agent/view/json/overlay-routes-json.ts';
import { overlayNodesDocument, overlayStatusDocument } from '../../../../agent/view/json/overlay-state-json.ts';
import { traceDocument } from '../../../../agent/view/json/overlay-trace-json.ts';
import { gatewayOf, modern, nodeOf } from '../../overlay/cluster.ts';

const row = { table: 'Logical_Switch_Port', title: 'stor-n1', why: 'the node needs it' };
const plan = {
  database: 'OVN_Northbound',
  guards: [],
  changes: [
    { ...row, do: 'insert', name: 'row0', row: {}, place: null },
    { ...row, do: 'delete', uuid: '00000000-0000-4000-8000-000000000001', place: null },
  ],
  trace: [],
} as const;
const changes: OverlayChanges = {
  databases: [plan],
  managementPort: [{ program: 'ip', command: 'address replace 10.42.1.2/24 dev ovn-k8s-mp0', why: 'the node has it' }],
  demux: [{ do: 'add', what: 'table=0,priority=100,ip,actions=NORMAL', why: 'NodePorts arrive' }],
  workload: { ...plan, changes: [plan.changes[0]] },
  faults: ['the tunnel to n2 is down'],
  notices: ['certificate n9 is registered, but belongs to no member'],
};
const isolation = { globalNamespaces: ['default'], groupLabel: 'microshift-net/group' };

const peer = {
  name: 'west',
  nextHops: ['192.0.2.50'],
  subnets: ['10.45.0.0/16'],
  serviceSubnets: ['10.46.0.0/16'],
};
const port: PortState = {
  port: {
    name: 'vm1',
    node: 'n1',
    interface: 'tap7',
    vlan: null,
    namespace: 'db',
    labels: { app: 'db' },
    hosts: [{ mac: '0a:58:0a:2a:01:fe', addresses: ['10.42.1.254'] }],
  },
  isBound: true,
  hosts: [{ mac: '0a:58:0a:2a:01:fe', addresses: ['10.42.1.254/24'] }],
  gateways: ['10.42.1.1'],
  mtuBytes: 1442,
};
const nothing: OverlayChanges = {
  databases: [],
  managementPort: [],
  demux: [],
  workload: null,
  faults: [],
  notices: [],
};
const node = nodeOf(1, { gateway: gatewayOf(1) });
const record: OverlayRecord = {
  format: 1,
  layout: modern,
  southbound: ['ssl:192.0.2.11:6642'],
  node,
  members: [node, nodeOf(2)],
};
const failure = { message: 'no answer', hint: null, since: '2026-01-02T03:04:05.000Z' };
const certificate = {
  name: 'ca',
  commonName: 'microshift-net 0001',
  notAfter: '2036-01-02T03:04:05.000Z',
  file: '/etc/microshift-net/pki/ca.pem',
};
const pem = { key: null, certificate: 'CERTIFICATE', authority: 'AUTHORITY' };
const bundle = { format: 1, layout: modern, southbound: record.southbound, node: nodeOf(2), pem } as const;

const packet = {
  ethSource: '0a:58:0a:2a:01:05',
  ethDestination: '0a:58:0a:2a:01:01',
  source: '10.42.1.5',
  destination: '10.43.0.10',
  protocol: 'udp',
  sourcePort: 40_000,
  destinationPort: 53,
  ttl: 64,
  isReply: false,
} as const;
const place = { kind: 'switch', name: 'n1', port: 'default_client', node: 'n1' } as const;
const rule = { table: 'Load_Balancer', id: '01234567', name: 'Service kube-system/dns', says: '' };
const flow = { stage: 'ls_in_lb', match: 'ip4.dst == 10.43.0.10', rule };
const way: TracedWay = {
  packet,
  entry: place,
  stations: [
    { do: 'enter', ...place },
    { do: 'pass', rule },
    {
      do: 'translate',
      what: 'destination',
      from: '10.43.0.10:53',
      to: '10.42.2.7:53',
      others: ['10.42.1.9:53'],
      isReversed: false,
      rule: null,
      kind: 'switch',
      where: 'n1',
    },
    { do: 'route', flow, nextHop: null, port: 'rtos-n2' },
    { do: 'ask', router: 'ovn_cluster_router', address: '10.42.2.7', owner: 'default_dns' },
    {
      do: 'cross',
      crossing: {
        from: 'n1',
        to: 'n2',
        encap: 'geneve',
        address: '192.0.2.12',
        datapath: 'n2',
        inPort: 'stor-n2',
        outPort: 'default_dns',
        tunId: 3,
        metadata: 65_540,
        packet,
        flow: 'udp,in_port=TUNNEL',
      },
    },
    { do: 'direct', from: 'n1', to: 'n2', outPort: 'br-ex_n1', inPort: 'br-ex_n2', packet },
  ],
  end: { how: 'dropped', flow: null, where: 'n2' },
  last: packet,
  here: [
    {
      flow: 'udp,in_port=5',
      device: 'veth5',
      outputs: [
        {
          bridge: 'br-int',
          device: 'ovn-n2-0',
          kind: 'tunnel',
          address: '192.0.2.12',
          tunId: 3,
          metadata: 65_540,
          datapath: 'n2',
          inPort: 'stor-n2',
          outPort: 'default_dns',
        },
      ],
      learning: [],
      isForController: false,
      drop: { cookie: '0x0', flow },
      remarks: [],
    },
  ],
};
const question = {
  source: 'default/client',
  destination: '10.43.0.10',
  protocol: 'udp',
  port: 53,
  fromNode: null,
} as const;
const daemonSet = {
  name: 'ovnkube-node',
  desired: 1,
  updated: 1,
  ready: 0,
  rolledOut: false,
  containers: [{ name: 'ovn-controller', ready: 0, restarts: 2, notReady: 'CrashLoopBackOff', lastEvent: null }],
};

/**
 * Documents of the commands about a cluster by the names of their cases; the part before the dot is the name of the
 * schema.
 */
export const clusterSamples: Readonly<Record<string, JsonDocument>> = {
  'manifests-render': renderDocument('classic', null, [{ apiVersion: 'v1', kind: 'Namespace' }]),
  'manifests-render.directory': renderDocument('classic', '/tmp/ovn', []),
  'manifests-diff': diffDocument('classic', [
    {
      object: 'DaemonSet ovnkube-node',
      change: 'change',
      fields: [
        { path: 'spec.template.spec.priority', before: undefined, after: 5 },
        { path: 'metadata.labels.app', before: 'ovn', after: undefined },
      ],
      conflict: null,
    },
  ]),
  'manifests-apply': manifestsApplyDocument({
    flavor: 'classic',
    server: 'https://192.0.2.11:6443',
    objects: [{ object: 'Namespace openshift-ovn-kubernetes', outcome: 'created' }],
    daemonSets: [daemonSet],
  }),
  'manifests-apply.left': manifestsApplyDocument(null),
  'manifests-status': manifestsStatusDocument([daemonSet]),
  'manifests-delete': deleteDocument({
    objects: [{ object: 'DaemonSet ovnkube-node', outcome: 'removed' }],
    shared: [{ object: 'ConfigMap ovnkube-config', owners: ['their-operator'] }],
    foreign: ['Secret theirs'],
  }),
  'overlay-init': initDocument(record, changes),
  'overlay-join': joinDocument({ ...record, node: nodeOf(2), members: null }, nothing),
  'overlay-plan': overlayPlanDocument(changes),
  'overlay-plan.as-wanted': overlayPlanDocument(nothing),
  'overlay-verify': overlayVerifyDocument({ ...nothing, faults: changes.faults }),
  'overlay-apply': overlayApplyDocument(nothing, true),
  'overlay-gateway': gatewayDocument(record, changes),
  'overlay-gateway.removed': gatewayDocument({ ...record, node: nodeOf(1) }, nothing),
  'overlay-leave': leaveDocument('n2', null),
  'overlay-leave.unchanged': leaveDocument(null, null),
  'overlay-disable': overlayDisableDocument({ node: 'n1', leftOver: null, cutOff: ['n2'], units: ['ovn-central'] }),
  'overlay-disable.unchanged': overlayDisableDocument(null),
  'overlay-status': overlayStatusDocument({
    node: 'n1',
    role: 'central',
    subnets: ['10.42.1.0/24'],
    addresses: ['192.0.2.11'],
    southbound: record.southbound,
    membership: { state: 'not-applicable' },
    controller: 'connected',
    isRunning: true,
    daemon: {
      format: 1,
      pid: 700,
      startTime: 12_345,
      since: '2026-01-02T03:00:00.000Z',
      failure,
      watcher: { role: 'active', objects: { Pod: 3 }, nodesOutside: [], wroteAt: null, refused: [], failure: null },
      asked: [3, 2],
    },
    tunnels: [
      { interface: 'ovn-n2-0', type: 'geneve', chassis: 'c2', remoteAddress: '192.0.2.12', fault: null, answers: true },
      { interface: 'ovn-n3-0', type: 'geneve', chassis: 'c3', remoteAddress: '192.0.2.13', fault: 'no route' },
    ],
    paths: [
      { node: 'n2', family: 'ipv4', way: 'direct', reason: null },
      { node: 'n3', family: 'ipv4', way: 'tunnel', reason: 'n3 is not a gateway' },
    ],
    peers: [peer],
  }),
  'overlay-nodes': overlayNodesDocument([
    {
      name: 'n1',
      subnets: ['10.42.1.0/24'],
      systemId: 'c1',
      addresses: ['192.0.2.11'],
      state: 'here',
      tunnel: null,
      paths: [],
      echo: { isCurrent: true, atMs: 1_767_323_045_000 },
      gateway: { bridge: 'br-ex', addresses: ['192.0.2.11/24'], isUp: true },
      certificateDays: 1095,
    },
    {
      name: 'n2',
      subnets: [],
      systemId: 'c2',
      addresses: [],
      state: 'not joined',
      tunnel: { port: null, state: 'down', reason: 'ovn-controller has not made it' },
      paths: [{ node: 'n2', family: 'ipv4', way: 'none', reason: 'n2 is not a gateway' }],
      echo: null,
      gateway: null,
      certificateDays: null,
    },
  ]),
  'overlay-routes': overlayRoutesDocument({
    routes: [{ node: 'n1', destination: '10.42.1.0/24', nextHop: '192.0.2.11', clients: ['192.0.2.50/32'] }],
    withoutRoute: [{ node: 'n2', destination: '10.42.2.0/24', state: 'no-gateway' }],
  }),
  'overlay-peer-add': peerAddDocument(peer, changes),
  'overlay-peer-remove': peerRemoveDocument('west', nothing),
  'overlay-isolation-enable': isolationEnableDocument(isolation, true),
  'overlay-isolation-disable': isolationDisableDocument(false),
  'overlay-isolation-show': isolationShowDocument({
    isolation,
    namespaces: [
      { name: 'default', group: null },
      { name: 'web', group: 'web' },
    ],
    reaches: [
      { from: 'default', to: 'default', reach: 'all' },
      { from: 'default', to: 'web', reach: 'all' },
      { from: 'web', to: 'default', reach: 'some' },
      { from: 'web', to: 'web', reach: 'none' },
    ],
  }),
  'overlay-peer-list': peerListDocument([
    {
      peer,
      routes: [{ node: 'n1', destination: '10.42.1.0/24', nextHop: '192.0.2.11', clients: ['10.45.0.0/16'] }],
      withoutRoute: [{ node: 'n2', destination: '10.42.2.0/24', state: 'no-clients' }],
      settings: null,
    },
    {
      peer: {
        name: 'f5',
        nextHops: [],
        subnets: ['10.129.4.0/24'],
        serviceSubnets: [],
        vtep: { address: '192.0.2.9', vni: 0, mac: '0a:58:0a:81:04:02' },
      },
      routes: [],
      withoutRoute: [],
      settings: {
        router: '10.129.4.1',
        routerMac: '0a:58:0a:81:04:01',
        mtuBytes: 1442,
        destinations: ['10.42.0.0/16'],
        nodes: [{ node: 'n1', address: '192.0.2.11' }],
      },
    },
  ]),
  'overlay-port-add': portAddDocument(port, changes),
  'overlay-port-remove': portRemoveDocument('vm1', nothing),
  'overlay-port-list': portListDocument([port, { ...port, port: { ...port.port, vlan: 100 }, isBound: false }]),
  'overlay-trace': traceDocument({ question, node: 'n1', there: way, back: null }, 'dropped'),
  'overlay-pki-init': pkiInitDocument(certificate),
  'overlay-pki-issue': bundleDocument('overlay pki issue', bundle, null),
  'overlay-pki-renew': bundleDocument('overlay pki renew', null, null),
  'overlay-pki-renew.file': bundleDocument('overlay pki renew', bundle, '/root/n2.json'),
  'overlay-pki-request': requestDocument('REQUEST', null),
  'overlay-pki-request.file': requestDocument('REQUEST', '/root/n2.csr'),
  'overlay-pki-rotate': rotateDocument({ authority: 'microshift-net 0002', waiting: ['n2'], isDone: false }),
  'overlay-pki-grant': grantDocument('n2', { addresses: ['192.0.2.99'], subnets: [] }),
  'overlay-pki-show': certificatesDocument([{ ...certificate, days: 3650 }]),
};
