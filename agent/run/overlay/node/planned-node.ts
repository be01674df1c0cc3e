import { acceptsAdvertisements } from '../../../drivers/host/kernel/ipv6-settings.ts';
import { listRemotes } from '../../../drivers/ovn/control.ts';
import {
  centralSocket,
  openCentralDatabase,
  openSwitchDatabase,
  ovnMissing,
  type RowDatabase,
} from '../../../drivers/ovn/database.ts';
import { type HostFacts, readHost } from '../../../facts/overlay-host.ts';
import type { OpenListener, OverlayChassis, OverlayNode, OverlayPlan } from '../../../model/overlay.ts';
import { type OverlayPeer, vtepPeersOf } from '../../../model/overlay-peer.ts';
import type { PortChange } from '../../../model/overlay-plan.ts';
import type { AttachedInterface } from '../../../model/overlay-port.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { DatabaseRows } from '../../../model/rows.ts';
import { type DirectOnly, decideDirectOnly, withTunnels } from '../../../overlay/direct/direct-only.ts';
import { recordNow } from '../../../overlay/gateway/own-gateway.ts';
import { planAttached, planNic } from '../../../overlay/gateway/own-nic.ts';
import { openListeners } from '../../../overlay/listeners.ts';
import { planLocal } from '../../../overlay/local/local.ts';
import { planLocalTls } from '../../../overlay/local/local-tls.ts';
import { judgeGateways } from '../../../overlay/members/heartbeat.ts';
import { membersNow } from '../../../overlay/members/members.ts';
import { managementInterface } from '../../../overlay/overlay-names.ts';
import { withPorts } from '../../../overlay/ports/node-interfaces.ts';
import { overlayTables } from '../../../overlay/rows/overlay-tables.ts';
import { type CertificateWork, certificateWork } from '../certificates/certificate-work.ts';
import { planListener } from '../certificates/listener-plan.ts';
import { readOwnRequest } from '../certificates/own-request.ts';
import { tlsFiles } from '../certificates/pki-files.ts';
import { readRows } from '../ovn/database-rows.ts';
import { readDaemon } from '../record/daemon-state.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { attachedHere } from './attached-here.ts';
import { hasKubernetes } from './cluster-api.ts';
import { withHeard } from './direct-here.ts';
import { planManagementPort } from './management-port.ts';
import { planMembers } from './members-plan.ts';
import { fullMtu } from './membership.ts';
import { withWhatItHas } from './occupied-places.ts';
import { peersKnownHere, publishedIds } from './published-here.ts';
import { chassisOf, isDirectOnlyIn, sharedAddressesNow } from './southbound-rows.ts';
import { publishedMtu } from './stored-inbound.ts';
import { planVteps } from './vteps-here.ts';

/** Database of a node, with its present rows and the planned changes. */
export interface PlannedDatabase {
  readonly database: RowDatabase;
  readonly rows: DatabaseRows;
  readonly plan: OverlayPlan;
}

/** Node with all changes that bring it into the state of its record. */
export interface PlannedNode {
  readonly places: OverlayPlaces;
  /** Record on which the plan is based, with the present addresses and next hops of its gateway. */
  readonly record: OverlayRecord;
  /** Databases in the order in which they have to be written. */
  readonly databases: readonly PlannedDatabase[];
  /** The node's own Open_vSwitch database, which is also in `databases`. */
  readonly local: PlannedDatabase;
  readonly managementPort: readonly PortChange[];
  /** Names of the interfaces that lead to hosts that are not pods. */
  readonly attached: readonly string[];
  /** Peers of the cluster; null on a member if the central node does not answer. */
  readonly peers: readonly OverlayPeer[] | null;
  /** Sentences about interfaces that the node cannot attach for hosts that are not pods. */
  readonly portFaults: readonly string[];
  /** Members with the gateways that they announce, each marked up or down. Empty except on the central node. */
  readonly members: readonly OverlayNode[];
  /** Sentences about claims that were refused; the claims are announcements in the Chassis rows of other nodes. */
  readonly refusedClaims: readonly string[];
  /** Sentences about chassis that belong to no member. Such chassis have no effect. */
  readonly strangers: readonly string[];
  /** Work on certificates that is due on the central node; empty on all other nodes. */
  readonly certificates: CertificateWork;
  /**
   * Listeners of other programs through which other hosts, or users of this node other than root, may write to the
   * central databases. Empty except on the central node.
   */
  readonly listeners: readonly OpenListener[];
  /** Chassis that are registered in the southbound database. Empty except on the central node. */
  readonly chassis: readonly OverlayChassis[];
  /** Decision whether packets between pods may use tunnels. On a member, `obstacles` is empty. */
  readonly direct: DirectOnly;
  /** MTU of the pods' interfaces in bytes. */
  readonly podMtuBytes: number;
}

/** Returns the remotes at which this node's ovn-controller connects to the southbound database. */
export function ownSouthbound({ members, southbound }: OverlayRecord, { ovnRuns }: OverlayPlaces): readonly string[] {
  if (members === null) return southbound;
  return [`unix:${centralSocket('OVN_Southbound', ovnRuns) ?? `${ovnRuns[0] ?? ''}/ovnsb_db.sock`}`];
}

/** Plans this node, runs `work` with the plan, and closes the connections. Throws if the plan is refused. */
export function withPlan<T>(
  record: OverlayRecord,
  places: OverlayPlaces,
  work: (planned: PlannedNode) => Promise<T>,
): Promise<T> {
  return withDatabases(record, places, async (open) => {
    const host = readHost();
    return work(await planNode(recordNow(record, host), host, places, open));
  });
}

/** Opens this node's databases (Open vSwitch, on the central node also OVN), runs `work` with them, and closes them. */
export async function withDatabases<T>(
  { members }: Pick<OverlayRecord, 'members'>,
  places: OverlayPlaces,
  work: (databases: readonly RowDatabase[]) => Promise<T>,
): Promise<T> {
  const open: RowDatabase[] = [];
  try {
    open.push(await openSwitchDatabase(places.ovsRun, places.stop));
    if (members !== null) open.push(...(await Promise.all(centralNames.map((name) => openCentral(name, places)))));
    return await work(open);
  } finally {
    for (const database of open) database.close();
  }
}

const centralNames = ['OVN_Northbound', 'OVN_Southbound'] as const;

/** Opens a database of OVN. Fails if this node does not have the database. */
export async function openCentral(
  name: (typeof centralNames)[number],
  { ovnRuns, stop }: OverlayPlaces,
): Promise<RowDatabase> {
  const database = await openCentralDatabase(name, ovnRuns, stop);
  if (database === null) throw ovnMissing(`the database ${name}`, 'ovn-central');
  return database;
}

async function planNode(
  record: OverlayRecord,
  host: HostFacts,
  places: OverlayPlaces,
  [local, northbound, southbound]: readonly (RowDatabase | undefined)[],
): Promise<PlannedNode> {
  if (local === undefined) throw new Error('the local database is always open');
  const planned: PlannedDatabase[] = [];
  const rows = await readRows(local, overlayTables.Open_vSwitch);
  const ids = await publishedIds(record, places);
  const peers = peersKnownHere(record, ids);
  const attaching = attachedHere(record, ids, host, rows);
  let chassis: readonly OverlayChassis[] = [];
  let members: readonly OverlayNode[] = [];
  let refusedClaims: readonly string[] = [];
  let strangers: readonly string[] = [];
  let listeners: readonly OpenListener[] = [];
  let direct: DirectOnly = withTunnels;
  let podMtuBytes = record.members === null ? publishedMtu(places) : null;
  let certificates: CertificateWork = { steps: [], refused: [], waiting: [] };
  if (record.members !== null && northbound !== undefined && southbound !== undefined) {
    const [above, below] = await Promise.all([
      readRows(northbound, overlayTables.OVN_Northbound),
      readRows(southbound, overlayTables.OVN_Southbound),
    ]);
    chassis = chassisOf(below);
    certificates = certificateWork(record, chassis, places.pki, Date.now());
    listeners = await listenersOf([above, below], record.layout.owner, places);
    const now = membersNow(record.layout, record.node, record.members, chassis, places.encapsulation !== 'always');
    members = withPorts(judgeGateways(now.nodes, readDaemon(places.daemon)?.asked ?? [], below), record.ports);
    ({ faults: refusedClaims, strangers } = now);
    direct = decideDirectOnly(places.encapsulation, isDirectOnlyIn(below), record.layout, members);
    podMtuBytes = direct.isDirectOnly ? fullMtu(record.layout, record.node) : null;
    const plan = planMembers(record, members, [], above, {
      bfdIntervalMs: places.bfdIntervalMs,
      holdsPorts: hasKubernetes(places),
      isDirectOnly: direct.isDirectOnly,
      sharedAddresses: await sharedAddressesNow(members, southbound, below, rows),
    });
    planned.push({ database: northbound, rows: above, plan: { ...plan, trace: [...now.trace, ...plan.trace] } });
    const listener = planListener(record, chassis, places, below, members, podMtuBytes);
    planned.push({ database: southbound, rows: below, plan: listener });
  }
  const attached = (attaching.attached ?? []).map((one) => one.interface);
  const own = { database: local, rows, plan: planSwitch(record, host, places, attaching.attached, peers, rows) };
  return {
    places,
    record,
    databases: [...planned, own],
    local: own,
    attached,
    portFaults: attaching.faults,
    managementPort: [...planKernel(record, host, attached), ...(await planVteps(peers, host.links))],
    peers,
    members,
    refusedClaims,
    strangers,
    certificates,
    listeners,
    chassis,
    direct: podMtuBytes === null ? direct : { ...direct, isDirectOnly: true },
    podMtuBytes: podMtuBytes ?? record.layout.mtu,
  };
}

/**
 * Returns the listeners of other programs through which other hosts, or users of this node other than root, may write
 * to the central databases.
 */
export async function listenersOf(
  databases: readonly DatabaseRows[],
  owner: string,
  { ovnRuns }: OverlayPlaces,
): Promise<readonly OpenListener[]> {
  const found = await Promise.all(
    databases.map(async (rows) => {
      const name = rows.database === 'OVN_Northbound' ? 'OVN_Northbound' : 'OVN_Southbound';
      return openListeners(rows, (await listRemotes(name, ovnRuns)) ?? [], owner);
    }),
  );
  return found.flat();
}

function planSwitch(
  record: OverlayRecord,
  host: HostFacts,
  places: OverlayPlaces,
  attached: readonly AttachedInterface[] | null,
  peers: readonly OverlayPeer[] | null,
  rows: DatabaseRows,
): OverlayPlan {
  const { layout, node, members } = withHeard(record, places, rows);
  const plan = planLocal({
    layout,
    // A member reads its addresses and listening sockets here, and announces them. The central node announces none,
    // because only its own watcher needs them (watcher/on-central.ts).
    node: members === null ? withWhatItHas(node, layout, places, host.links) : node,
    southbound: ownSouthbound(record, places),
    northbound: [],
    datapathType: places.datapathType,
    // The central node has no certificate request, because it renews its certificate itself. A request file there is
    // ignored.
    request: members === null ? (readOwnRequest(places.pki)?.request ?? null) : null,
    attached,
    hasVteps: peers === null ? null : vtepPeersOf(peers).length > 0,
    rows,
  });
  const tls = members === null ? tlsFiles(places.pki) : null;
  return { ...plan, changes: [...planLocalTls(rows, tls, layout.owner), ...plan.changes] };
}

/** Returns the name of the node's management interface. */
export function ownDevice({ layout, node }: Pick<OverlayRecord, 'layout' | 'node'>): string {
  return managementInterface(layout.naming, node.name);
}

/**
 * Plans the changes of the kernel: missing entries and settings of the management interface, and the link state and
 * addresses of a gateway's NIC and of the interfaces that lead to hosts that are not pods.
 */
export function planKernel(
  record: OverlayRecord,
  host: HostFacts,
  attached: readonly string[] = [],
): readonly PortChange[] {
  const { layout, node } = record;
  const device = ownDevice(record);
  const takesAdvertisements = acceptsAdvertisements(device);
  const nic = node.gateway?.interface ?? null;
  return [
    ...(node.subnets.length === 0 ? [] : planManagementPort(device, layout, node, { ...host, takesAdvertisements })),
    ...(nic === null ? [] : planNic(nic, host.links)),
    ...planAttached(attached, host.links),
  ];
}
