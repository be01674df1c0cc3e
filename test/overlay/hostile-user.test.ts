// A hostile user with one namespace creates random objects of every kind. The test observes the rows of other users and
// of the nodes, the flows of the nodes, and the connections that policies of the administrator deny. HOSTILE_SEED
// repeats a run, and HOSTILE_OBJECTS makes it longer.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import t, { type Test } from 'tap';
import type { MirrorRow } from '../../agent/drivers/ovsdb/index.ts';
import { type OverlayPeer, rangesOfPeer } from '../../agent/model/overlay-peer.ts';
import type { OverlayPort } from '../../agent/model/overlay-port.ts';
import type { DatabaseRow, DatabaseRows } from '../../agent/model/rows.ts';
import { canonicalAddress } from '../../agent/net/address.ts';
import { isWithin, macOf } from '../../agent/overlay/addresses.ts';
import { isForServices, isNeeded, unservableRanges } from '../../agent/overlay/node-ports.ts';
import { aclPriorities } from '../../agent/overlay/rows/acl-priorities.ts';
import { workloadTables } from '../../agent/overlay/rows/overlay-tables.ts';
import { tagKeys } from '../../agent/overlay/rows/tag-keys.ts';
import { decodedRow } from '../../agent/overlay/rows/wire.ts';
import { announcedKey } from '../../agent/overlay/services/announced-here.ts';
import { hostServices } from '../../agent/overlay/services/host-services.ts';
import { inboundServices } from '../../agent/overlay/services/inbound-services.ts';
import { sharedBridgeFlows } from '../../agent/overlay/services/shared-bridge-flows.ts';
import { isolationPolicy } from '../../agent/workload/isolation/isolation-policy.ts';
import { missingForOvn } from '../cluster/unpacked-ovn.ts';
import { usedHeap } from '../unit/heap.ts';
import { exposure, gatewayOf, modern, nodeOf, recordedShape } from '../unit/overlay/cluster.ts';
import { seededRandom } from '../unit/ovsdb/random.ts';
import { accessListsOf } from '../unit/workload/policies/access-evaluator.ts';
import { type Aims, hostileNamespace, hostileUser } from './hostile-objects.ts';
import { ownRelease } from './releases.ts';
import { podOn, type StoredObject } from './stored-api.ts';
import { type WorkloadBed, workloadBed } from './workload-bed.ts';

const seed = Number(process.env.HOSTILE_SEED ?? 1);
const count = Number(process.env.HOSTILE_OBJECTS ?? 500);
/** Number of objects that arrive at once. */
const batch = 50;
const nameLabel = 'kubernetes.io/metadata.name';
/** Port in the range of services at which a program of node n1 listens. */
const listener = { protocol: 'tcp', address: null, port: 443 } as const;

/** Hosts that are not pods: a VM on n2, and a machine in a VLAN of n1. */
const hosts: readonly OverlayPort[] = [
  {
    ...{ name: 'vm1', node: 'n2', interface: 'tap7', vlan: null, namespace: 'victim', labels: { app: 'db' } },
    hosts: [{ mac: macOf('10.42.2.254'), addresses: ['10.42.2.254'] }],
  },
  {
    ...{ name: 'line', node: 'n1', interface: 'eth5', vlan: 100, namespace: 'shop', labels: {} },
    hosts: [{ mac: '52:54:00:00:00:0a', addresses: ['10.42.1.254'] }],
  },
];
const nodes = [1, 2, 3].map((id) =>
  nodeOf(id, {
    gateway: gatewayOf(id),
    ports: hosts.filter(({ node }) => node === `n${id}`),
    ...(id === 1 && { listeners: [listener] }),
  }),
);
/** Peer whose networks are in a range in which external addresses are served. */
const peers: readonly OverlayPeer[] = [
  { name: 'west', nextHops: ['192.0.2.220'], subnets: ['203.0.113.128/26'], serviceSubnets: ['203.0.113.192/26'] },
  {
    name: 'f5',
    nextHops: [],
    subnets: ['203.0.113.96/28'],
    serviceSubnets: [],
    vtep: { address: '203.0.113.90', vni: 0, mac: '0a:58:cb:00:71:62' },
  },
];
const nodeAddresses = ['192.0.2.11', '192.0.2.12', '192.0.2.13'];

const victims = {
  pods: [
    {
      ...podOn('n1', 'web', { namespace: 'victim', uid: 'uid-of-web' }),
      spec: { nodeName: 'n1', containers: [{ name: 'c', ports: [{ name: 'http', containerPort: 8080 }] }] },
    },
    podOn('n2', 'db', { namespace: 'victim', uid: 'uid-of-db' }),
    podOn('n3', 'till', { namespace: 'shop', uid: 'uid-of-till' }),
  ],
  service: {
    metadata: { namespace: 'victim', name: 'web', uid: 'uid-of-service', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      type: 'LoadBalancer',
      clusterIPs: ['10.43.0.80'],
      externalIPs: ['203.0.113.5'],
      ports: [{ name: 'http', port: 80, protocol: 'TCP', nodePort: 30_080 }],
    },
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.11' }] } },
  },
  restricted: {
    metadata: { namespace: 'victim', name: 'bank', uid: 'uid-of-bank', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      type: 'LoadBalancer',
      clusterIPs: ['10.43.0.81'],
      ports: [{ name: 'https', port: 443, protocol: 'TCP' }],
      loadBalancerSourceRanges: ['198.51.100.0/24'],
    },
    status: { loadBalancer: { ingress: [{ ip: '203.0.113.7' }] } },
  },
  slice: {
    metadata: {
      namespace: 'victim',
      name: 'web-1',
      uid: 'uid-of-slice',
      labels: { 'kubernetes.io/service-name': 'web' },
    },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints: [{ addresses: ['10.42.1.3'], nodeName: 'n1', conditions: { ready: true } }],
  },
  policy: {
    metadata: { namespace: 'victim', name: 'closed', uid: 'uid-of-policy' },
    spec: {
      podSelector: {},
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ podSelector: { matchLabels: { app: 'web' } } }], ports: [{ port: 8080, protocol: 'TCP' }] }],
    },
  },
} as const;

/** Policies of the administrator: two of the Admin tier, and the separation of namespaces in the Baseline tier. */
const adminPolicies: readonly StoredObject[] = [
  clusterPolicy('fence', 5, ['victim', 'shop'], {
    ingress: [
      { action: 'Accept', from: [{ namespaces: { matchLabels: { [nameLabel]: 'victim' } } }] },
      {
        action: 'Deny',
        from: [{ namespaces: {} }],
        protocols: [{ tcp: { destinationPort: { number: 5432 } } }, { destinationNamedPort: 'http' }],
      },
    ],
  }),
  clusterPolicy('no-http', 6, ['victim', 'shop', hostileNamespace], {
    ingress: [{ action: 'Deny', from: [{ namespaces: {} }], protocols: [{ destinationNamedPort: 'http' }] }],
  }),
  isolationPolicy({ globalNamespaces: ['default'], groupLabel: 'microshift-net/group' }) as unknown as StoredObject,
];

function clusterPolicy(name: string, priority: number, namespaces: readonly string[], rules: object): StoredObject {
  const subject = { namespaces: { matchExpressions: [{ key: nameLabel, operator: 'In', values: namespaces }] } };
  return { metadata: { name, uid: `uid-of-${name}` }, spec: { tier: 'Admin', priority, subject, ...rules } };
}

const aims: Aims = {
  nodes: nodeAddresses,
  addresses: [
    ...nodeAddresses,
    ...['192.0.2.1', '203.0.113.5', '203.0.113.6', '192.0.2.200', '198.51.100.7'],
    ...['10.42.1.3', '10.42.2.3', '10.42.1.1', '10.42.1.2', '10.43.0.80', '10.43.0.1', '100.64.0.1', '100.64.0.2'],
    ...['2001:db8::11', 'fd01::3', '2001:db8:ffff::9'],
    ...[
      '10.42.2.254',
      '10.42.1.254',
      '203.0.113.7',
      '203.0.113.130',
      '203.0.113.200',
      '192.0.2.220',
      '203.0.113.90',
      '203.0.113.100',
      '10.43.0.81',
    ],
  ],
  ports: [22, 80, 443, 2379, 6443, 6641, 6642, 10250, 30_080, 31_000, 500, 4500, 4789, 6081, 8080, 53],
  uids: ['uid-of-web', 'uid-of-db'],
};

/** Columns in which shared rows refer to the rows of each user. */
const held: readonly string[] = ['ports', 'acls', 'load_balancer', 'policies'];

const reason = missingForOvn();
if (reason !== null) t.plan(0, reason);
else t.test(`${count} objects, HOSTILE_SEED=${seed}`, hostile);

async function hostile(t: Test): Promise<void> {
  process.stderr.write(`# HOSTILE_SEED=${seed} HOSTILE_OBJECTS=${count}\n`);
  const random = seededRandom(seed);
  const bed = await workloadBed(t, ownRelease(), nodes, peers);
  const { api, port } = bed;
  let watched = bed.watch();
  await watched.reported(({ role }) => role === 'active');
  api.put(
    'namespaces',
    ...['victim', 'shop'].map((name) => ({
      metadata: { name, uid: `uid-of-${name}`, labels: { [nameLabel]: name, 'microshift-net/group': 'victims' } },
    })),
    { metadata: { name: hostileNamespace, uid: 'uid-of-mallory' } },
  );
  api.put('pods', ...victims.pods);
  api.put('services', victims.service as StoredObject, victims.restricted as StoredObject);
  api.put('endpointslices', victims.slice as StoredObject);
  api.put('networkpolicies', victims.policy as StoredObject);
  api.put('clusternetworkpolicies', ...adminPolicies);
  await passed(bed, 'settled');
  const before = observe(bed);
  t.ok(before.rows.size > 20 && before.flows.length > 10, 'the nodes and the other users have rows and flows');
  for (const one of ['victim_db reaches shop_till at TCP 22', 'victim_vm1@n2 reaches victim_web at TCP 5432'])
    t.ok(before.reached.includes(one), one);

  const heap = await usedHeap();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const mallory = hostileUser(random, aims, api);
  delay.enable();
  for (let index = 0; index < count; index += 1) {
    mallory.act(index);
    if (index % batch !== batch - 1) continue;
    await passed(bed, `after-${index}`);
    unchanged(t, bed, before, `after ${index + 1} objects`);
    if (index % (4 * batch) !== 4 * batch - 1) continue;
    await watched.watcher.close();
    watched = bed.watch();
    await watched.reported(({ role }) => role === 'active');
    await passed(bed, `restarted-${index}`);
    unchanged(t, bed, before, `after a restart with ${index + 1} objects`);
  }
  delay.disable();
  process.stderr.write(
    `# longest turn of the event loop, with all of the test's own: ${Math.round(delay.max / 1e6)} ms\n`,
  );
  t.ok(bed.largest() <= 3_000, `the largest transaction changed ${bed.largest()} rows`);
  t.strictSame(
    api.notices.filter(({ regarding: { kind, name, namespace } }) => {
      const isOwn = kind === 'Namespace' ? name === hostileNamespace : namespace === hostileNamespace;
      return !isOwn && namespace !== 'default';
    }),
    [],
    'no Event concerns another user',
  );
  mallory.leave();
  await passed(bed, 'last');
  unchanged(t, bed, before, 'after the objects are deleted');
  await bed.until(() => unitsOf(bed).every((unit) => !unit.includes(`:${hostileNamespace}/`)));
  t.equal(port('web'), undefined);
  t.strictSame(watched.state()?.refused, [], 'OVN has accepted every row');
  const leftMb = ((await usedHeap()) - heap) / 1e6;
  t.ok(leftMb < 30, `the deleted objects leave ${leftMb.toFixed(1)} MB in the heap`);
}

/** Waits until all earlier changes are written, which the port of a later pod shows. */
async function passed(bed: WorkloadBed, name: string): Promise<void> {
  const pod = podOn('n3', name);
  bed.api.put('pods', pod);
  await bed.until(() => bed.port(name) !== undefined);
  bed.api.remove('pods', `default/${name}`);
  await bed.until(() => bed.port(name) === undefined);
}

interface Observation {
  /** Rows outside of the namespaces of the test and of the hostile user, by table and uuid. */
  readonly rows: ReadonlyMap<string, MirrorRow>;
  /** Flows of the bridges and entries of the nftables table of each node. */
  readonly flows: readonly string[];
  /** Connections to pods and hosts of other users that policies permit, except those of the hostile user. */
  readonly reached: readonly string[];
}

function observe(bed: WorkloadBed): Observation {
  const rows = new Map<string, MirrorRow>();
  for (const table of workloadTables)
    for (const row of bed.rows(table)) if (!isPassing(row)) rows.set(`${table} ${String(row._uuid)}`, row);
  return { rows, flows: flowsOf(bed), reached: reached(bed) };
}

/**
 * Returns true for rows of the namespace in which the test itself makes pods, of the hostile namespace, and of cluster
 * policies, whose sets also have the hostile pods.
 */
function isPassing(row: MirrorRow): boolean {
  return /default|mallory|^cluster-policy:/.test(unitOf(row));
}

function unchanged(t: Test, bed: WorkloadBed, before: Observation, when: string): void {
  const wrong: string[] = [];
  const now = new Map<string, MirrorRow>(
    workloadTables.flatMap((table) => bed.rows(table).map((row) => [`${table} ${String(row._uuid)}`, row] as const)),
  );
  for (const [key, row] of before.rows) {
    const one = now.get(key);
    if (one === undefined) wrong.push(`${key} ${String(row.name)} is gone`);
    else if (one !== row) wrong.push(...differences(key, row, one));
  }
  wrong.push(...taken(bed), ...ports(bed), ...groups(bed), ...ways(bed), ...lists(bed));
  const flows = new Set(flowsOf(bed));
  wrong.push(...before.flows.filter((flow) => !flows.has(flow)).map((flow) => `a flow is gone: ${flow}`));
  const [was, is] = [before.reached, reached(bed)];
  wrong.push(...is.filter((one) => !was.includes(one)).map((one) => `${one} now`));
  wrong.push(...was.filter((one) => !is.includes(one)).map((one) => `${one} no more`));
  t.strictSame(wrong, [], when);
}

/** Returns the differences between two states of a row. A shared row may refer to more rows than before. */
function differences(key: string, before: MirrorRow, now: MirrorRow): readonly string[] {
  return Object.keys(before).flatMap((column) => {
    const [was, is] = [withoutMarks(before[column]), withoutMarks(now[column])];
    if (was === is || column === '_version') return [];
    const kept = held.includes(column) && uuidsIn(was).every((uuid) => is.includes(uuid));
    return kept ? [] : [`${key} ${String(before.name)}: ${column} was ${was}, is ${is}`];
  });
}

/**
 * Returns a value without the mark that makes ovn-northd compute all flows again. The external addresses that a gateway
 * announces are also left out, if all of them are in the ranges of ovn.yaml.
 */
function withoutMarks(value: unknown): string {
  return JSON.stringify(value ?? null)
    .replace(/,?\["microshift-net-recompute","[12]"\]/, '')
    .replace(announced, (all, addresses: string) => (addresses.split(' ').every(isOfRange) ? '' : all));
}

const announced = new RegExp(`\\["${announcedKey}","([^"]*)"\\],?`);
const isOfRange = (address: string): boolean =>
  exposure.externalRanges.some((range) => isWithin(canonicalAddress(address), range)) &&
  !nodeAddresses.includes(address);

function uuidsIn(text: string): readonly string[] {
  return text.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [];
}

function mapIn(row: MirrorRow, column: string): Readonly<Record<string, string>> {
  const [kind, pairs] = (row[column] ?? []) as readonly [string?, (readonly (readonly [string, string])[])?];
  return kind === 'map' ? Object.fromEntries(pairs ?? []) : {};
}

function unitOf(row: MirrorRow): string {
  return mapIn(row, 'external_ids')[tagKeys.unit] ?? '';
}

function unitsOf(bed: WorkloadBed): readonly string[] {
  return workloadTables.flatMap((table) => bed.rows(table).map(unitOf));
}

function isHostile(row: MirrorRow): boolean {
  return unitOf(row).includes(`:${hostileNamespace}/`);
}

/** Returns the addresses and ports at which load balancers of the hostile user divert packets for other users. */
function taken(bed: WorkloadBed): readonly string[] {
  const balancers = bed.rows('Load_Balancer');
  const placesOf = (row: MirrorRow): readonly string[] =>
    Object.keys(mapIn(row, 'vips')).map((vip) => `${String(row.protocol)} ${vip}`);
  const others = new Set(balancers.filter((row) => !isHostile(row)).flatMap(placesOf));
  return balancers.filter(isHostile).flatMap((row) =>
    placesOf(row).flatMap((place) => {
      const fault = others.has(place) ? 'another service has this address and port' : faultOf(place, row);
      return fault === null ? [] : [`${String(row.name)} has ${place}: ${fault}`];
    }),
  );
}

function faultOf(place: string, row: MirrorRow): string | null {
  const [, protocol = '', text = '', digits = ''] = /^(\w+) \[?(.*?)\]?:([0-9]+)$/.exec(place) ?? [];
  const [address, port] = [canonicalAddress(text), Number(digits)];
  const inside = [
    ...[...modern.clusterSubnets, ...modern.joinSubnets, ...unservableRanges, '192.0.2.1/32'],
    ...peers.flatMap((peer) => {
      const hosts = [...peer.nextHops, ...(peer.vtep === undefined ? [] : [peer.vtep.address])];
      return [...rangesOfPeer(peer), ...hosts.map((host) => `${host}/32`)];
    }),
  ];
  const range = inside.find((one) => isWithin(address, one));
  if (range !== undefined) return `the address is within ${range}`;
  if (isWithin(address, '10.43.0.0/16'))
    return isWithin(address, '10.43.100.0/24') ? null : 'the address is a cluster IP of another service';
  if (!nodeAddresses.includes(address)) return isOfRange(address) ? null : 'the address is in no range of ovn.yaml';
  if (mapIn(row, 'options').neighbor_responder !== 'none') return 'gateways answer ARP for an address of a node';
  const socket = protocol as 'tcp' | 'udp';
  if (isNeeded(socket, port) || !isForServices(exposure.nodePorts, socket, port)) return 'the node needs this port';
  const isListening = address === nodeAddresses[0] && socket === 'tcp' && port === listener.port;
  return isListening ? 'a program of the node listens at this port' : null;
}

/** Returns the ports of pods that have an address of another pod, and hostile ports that have an address of a node. */
function ports(bed: WorkloadBed): readonly string[] {
  const rows = bed.rows('Logical_Switch_Port');
  const holders = new Map<string, string>();
  return rows.flatMap((row) => {
    const all = String(row.addresses)
      .split(/[ ,]/)
      .filter((word) => /^[0-9.]+$|^[0-9a-f:]*::/.test(word));
    return all.flatMap((address) => {
      const other = holders.get(address);
      holders.set(address, String(row.name));
      const isReserved = isHostile(row) && /^10\.42\.[123]\.[012]$/.test(address);
      if (isReserved) return [`${String(row.name)} has ${address} of a node`];
      return other === undefined ? [] : [`${other} and ${String(row.name)} have ${address}`];
    });
  });
}

/**
 * Returns the ports of other users in port groups of hostile policies. The group of a service's clients has a port of
 * every switch; lists() checks its ACLs.
 */
function groups(bed: WorkloadBed): readonly string[] {
  const owners = new Map(
    bed.rows('Logical_Switch_Port').map((row) => [uuidsIn(JSON.stringify(row._uuid))[0] ?? '', row]),
  );
  return bed
    .rows('Port_Group')
    .filter((row) => isHostile(row) && !unitOf(row).startsWith('service:'))
    .flatMap((group) =>
      uuidsIn(JSON.stringify(group.ports)).flatMap((uuid) => {
        const port = owners.get(uuid);
        return port === undefined || isHostile(port)
          ? []
          : [`${unitOf(group)} filters packets of ${String(port.name)}`];
      }),
    );
}

/** Returns the router policies of the hostile user that divert packets from pods of other users. */
function ways(bed: WorkloadBed): readonly string[] {
  const own = new Set(
    bed
      .rows('Logical_Switch_Port')
      .filter(isHostile)
      .map((row) => String(row.addresses).split(' ')[1] ?? ''),
  );
  return bed
    .rows('Logical_Router_Policy')
    .filter(isHostile)
    .flatMap(({ match }) => {
      const [, source = ''] = /\.src == (\S+)/.exec(String(match)) ?? [];
      const isOthers = ['10.42.1.3', '10.42.2.3'].includes(source) && !own.has(source);
      return isOthers ? [`${String(match)} diverts packets from a pod of another user`] : [];
    });
}

/**
 * Returns the ACLs of the hostile user that could concern packets of others: with a priority above those of network
 * policies, or for clients of an address and port that a service of another user has.
 */
function lists(bed: WorkloadBed): readonly string[] {
  const places = bed
    .rows('Load_Balancer')
    .filter(isHostile)
    .flatMap((row) => Object.keys(mapIn(row, 'vips')).map((vip) => `${String(row.protocol)} ${vip}`));
  const own = new Set(places);
  return bed
    .rows('ACL')
    .filter(isHostile)
    .flatMap((row) => {
      const match = String(row.match);
      if (!unitOf(row).startsWith('service:'))
        return Number(row.priority) <= aclPriorities.allowed ? [] : [`an ACL has priority ${row.priority}: ${match}`];
      const [, six, address = '', protocol = '', listed = ''] =
        /^ip(4|6)\.dst == (\S+) && (\w+)\.dst == \{([\d, ]+)\}/.exec(match) ?? [];
      const wrong = listed.split(', ').filter((port) => {
        return !own.has(`${protocol} ${six === '6' ? `[${address}]` : address}:${port}`);
      });
      return wrong.length === 0 ? [] : [`an ACL restricts port ${wrong.join()} of others: ${match}`];
    });
}

/** Connections that are tried between all ends. */
const tries = [
  ['TCP', 8080],
  ['TCP', 5432],
  ['TCP', 22],
  ['UDP', 53],
] as const;

/**
 * Returns the connections to pods and hosts of other users that their policies and those of the administrator permit:
 * from these pods and hosts, and from hostile pods, none of which may connect.
 */
function reached(bed: WorkloadBed): readonly string[] {
  const shape = recordedShape('OVN_Northbound 23.03');
  const rowsOf = (table: (typeof workloadTables)[number]): readonly DatabaseRow[] =>
    bed.rows(table).map((row) => decodedRow(row as never, shape[table] ?? {}));
  const ofPolicy = (row: MirrorRow): boolean =>
    !isHostile(row) && /NetworkPolicy$/.test(mapIn(row, 'external_ids')['k8s.ovn.org/owner-type'] ?? '');
  const kept = new Set(bed.rows('ACL').flatMap((row) => (ofPolicy(row) ? uuidsIn(JSON.stringify(row._uuid)) : [])));
  const all = ['Port_Group', 'Address_Set', 'Logical_Switch_Port'] as const;
  const { passes } = accessListsOf({
    database: 'OVN_Northbound',
    shape,
    tables: {
      ...Object.fromEntries(all.map((table) => [table, rowsOf(table)])),
      ACL: rowsOf('ACL').filter(({ _uuid }) => kept.has(_uuid)),
    },
  });
  const ends = rowsOf('Logical_Switch_Port').flatMap((row) => {
    const [, address = ''] = String(row.addresses).split(' ');
    return /^(victim|shop|mallory)_/.test(String(row.name)) ? [{ port: String(row.name), address }] : [];
  });
  const targets = ends.filter(({ port }) => !port.startsWith(hostileNamespace));
  return ends.flatMap((source) =>
    targets.flatMap((destination) =>
      tries.flatMap(([protocol, port]) =>
        source !== destination && passes({ source, destination, protocol, port })
          ? [`${source.port} reaches ${destination.port} at ${protocol} ${port}`]
          : [],
      ),
    ),
  );
}

/**
 * Returns the effects of all load balancers on the nodes: the flows of their bridges, and the entries of their nftables
 * table.
 */
function flowsOf(bed: WorkloadBed): readonly string[] {
  const rows: DatabaseRows = {
    database: 'OVN_Southbound',
    shape: {
      Load_Balancer: { vips: { kind: 'map', isReference: false }, options: { kind: 'map', isReference: false } },
    },
    tables: {
      Load_Balancer: bed.rows('Load_Balancer').map((row) => ({
        _uuid: String(row._uuid),
        name: String(row.name),
        protocol: [String(row.protocol)],
        vips: mapIn(row, 'vips'),
        options: mapIn(row, 'options'),
      })),
    },
  };
  return nodes.flatMap((node) => {
    if (node.gateway === null) return [];
    const services = inboundServices(modern, node, node.gateway, rows);
    const table = hostServices(services, 'ovn-k8s-mp0', [node.hostAddresses[0] ?? ''], false);
    const flows = sharedBridgeFlows(node, node.gateway, { nic: 1, cluster: 2, isAlone: true }, services);
    return [...flows.map(({ flow }) => flow), ...(table?.lines ?? [])].map((line) => `${node.name} ${line}`);
  });
}
