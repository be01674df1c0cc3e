import { ipBatchOrRefusal } from '../../../drivers/host/kernel/ip-batch.ts';
import { ignoreAdvertisements } from '../../../drivers/host/kernel/ipv6-settings.ts';
import type { RowDatabase } from '../../../drivers/ovn/database.ts';
import { AgentError } from '../../../errors.ts';
import { readHost } from '../../../facts/overlay-host.ts';
import { missingPortHint, missingPortText } from '../../../model/missing-port.ts';
import type { OverlayPeer } from '../../../model/overlay-peer.ts';
import { kernelCommand, type OverlayChanges, type PortChange } from '../../../model/overlay-plan.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { managementMac } from '../../../overlay/cluster/node-rows.ts';
import { listenerFault, listenerHint } from '../../../overlay/listeners.ts';
import { mapOf } from '../../../overlay/rows/row-index.ts';
import { carryOut } from '../ovn/database-rows.ts';
import { proveAnnounced, proveGateway } from '../ovn/gateway-proof.ts';
import { controllerConnects, ensureCentral, ensureController } from '../ovn/ovn-daemons.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { installInbound, installStoredInbound, rollBackInbound } from './inbound-flows.ts';
import { portOf } from './own-port.ts';
import { ownDevice, type PlannedNode, planKernel, withPlan } from './planned-node.ts';
import { closeToOutsideClients } from './shared-flows.ts';
import { withSouthbound } from './southbound.ts';
import { rememberedPeers } from './stored-inbound.ts';
import { planVteps } from './vteps-here.ts';
import { waitForDevice } from './wait-for-device.ts';

/**
 * Time limit for ovn-controller to register the chassis, which takes less than a second; 60 s allow for a central node
 * that is just starting.
 */
const registeredMs = 60_000;
/**
 * Time limit for OVN to install the flows of the management port. ovn-northd and ovn-controller take milliseconds in a
 * small cluster; 60 s allow for a machine that swaps.
 */
const installedMs = 60_000;

/**
 * Longest time, in ms, that the central node waits until ovn-northd has copied the node's management port to the
 * southbound database. ovn-northd takes milliseconds; 60 s allow for an ovn-northd that is just starting.
 */
const portMs = 60_000;
/**
 * Longest time, in ms, that a member waits until the southbound database has the member's management port. The port
 * exists since `overlay pki issue`, and OVN's databases keep it. 15 s allow for a central node that is writing its rows
 * again. A node that was removed from the cluster has no port, and waits until the limit.
 */
const memberPortMs = 15_000;

/**
 * Time limit for a batch of `ip` commands, which takes milliseconds. Traffic continues meanwhile, so a long limit does
 * no harm.
 */
const kernelMs = 30_000;

/**
 * Brings this node into the state that its record describes, and proves that state. First calls `refuse` with the plan,
 * and writes nothing if `refuse` throws. Also writes nothing if nothing differs.
 */
export async function applyOverlay(
  recorded: OverlayRecord,
  places: OverlayPlaces,
  say: (step: string) => void,
  refuse: (planned: PlannedNode) => void = () => undefined,
): Promise<OverlayChanges> {
  // At boot, the northbound and the southbound database may not answer yet, because the central daemons start at the
  // same time.
  if (recorded.members !== null) await ensureCentral(places, say);
  return withPlan(recorded, places, async (planned) => {
    refuse(planned);
    const managementPort = await writePlanned(planned, say);
    const inbound = await installAndProveInbound(planned, say, () => provePart(planned, say));
    return { ...changesOf(planned), managementPort, ...inbound };
  });
}

/**
 * Starts ovn-controller, calls `prove`, and installs the flows and the nftables table of inbound services. `prove`
 * returns the faults that other nodes have to correct.
 */
export async function installAndProveInbound(
  planned: PlannedNode,
  say: (step: string) => void,
  prove: () => Promise<readonly string[]>,
): Promise<Pick<OverlayChanges, 'demux' | 'faults'>> {
  await ensureController(planned.places, say);
  // If the gateway has an address of its own, the flows that block outside clients are installed before the gateway can
  // receive packets.
  const closed = await closeToOutsideClients(planned.record, planned.places, rememberedPeers(planned.places));
  const restored = await installStoredInbound(planned, say);
  const faults = await prove();
  // While the gateway is not connected to its bridge, inbound packets cannot reach the cluster, so no flows are
  // installed for them.
  const applied = faults.length > 0 ? [] : await installInbound(planned, say);
  return { demux: [...closed, ...restored, ...applied], faults };
}

/**
 * Restores the databases, kernel entries and flows of a record. Proves nothing, because the central node or
 * ovn-controller may be down.
 */
export async function restoreOverlay(
  record: OverlayRecord,
  places: OverlayPlaces,
  say: (step: string) => void,
): Promise<void> {
  await withPlan(record, places, async (planned) => {
    await writePlanned(planned, say);
    await rollBackInbound(planned);
  });
}

/**
 * Carries out the planned changes of the databases and of the kernel, but not those of inbound services. Returns the
 * changes of the kernel.
 */
export async function writePlanned(
  { databases, record, places, attached, peers }: PlannedNode,
  say: (step: string) => void,
): Promise<readonly PortChange[]> {
  for (const { database, plan, rows } of databases) {
    if (plan.changes.length > 0) say(`${database.name}: ${plan.changes.length} rows to change`);
    await carryOut(database, plan, rows);
  }
  return applyKernel(record, say, places.stop, attached, peers);
}

/**
 * Waits for the interface of the node's management port, and adds the kernel entries that are missing. Does not need
 * the central node. `peers` are the peers of the cluster; null leaves the VXLAN devices for them as they are. Returns
 * the changes.
 */
export async function applyKernel(
  record: OverlayRecord,
  say: (step: string) => void,
  stop?: AbortSignal,
  attached: readonly string[] = [],
  peers: readonly OverlayPeer[] | null = null,
): Promise<readonly PortChange[]> {
  const device = ownDevice(record);
  if (record.node.subnets.length > 0) await waitForDevice(device, managementMac(record.node), say, stop);
  const host = readHost();
  const port = [...planKernel(record, host, attached), ...(await planVteps(peers, host.links))];
  for (const change of port) say(kernelCommand(change));
  // Router advertisements are switched off before the interface comes up, so that the kernel accepts none in between.
  const setting = port.some(({ program }) => program === 'sysctl') ? ignoreAdvertisements(device) : null;
  if (setting !== null) {
    throw new AgentError(
      'step-failed',
      `the kernel would accept router advertisements of pods on ${device}: ${setting}`,
      {
        hint: 'remount /proc/sys read-write, or set the value from outside of the container',
      },
    );
  }
  for (const { program, commands } of batchesOf(port)) {
    const refusal = await ipBatchOrRefusal(commands, kernelMs, program);
    if (refusal === null) continue;
    throw new AgentError('step-failed', `the kernel refused ${refusal}`, {
      hint: 'look at `ip address` for conflicting addresses, and at `ip link` for devices with the same name',
    });
  }
  return port;
}

/** Divides the commands of ip(8) and bridge(8) into batches of one program, in the order of the commands. */
function batchesOf(port: readonly PortChange[]) {
  const batches: { readonly program: 'ip' | 'bridge'; readonly commands: string[] }[] = [];
  for (const { program, command } of port) {
    const last = batches.at(-1);
    if (program === 'sysctl') continue;
    if (last?.program === program) last.commands.push(command);
    else batches.push({ program, commands: [command] });
  }
  return batches;
}

/** Returns the changes that a plan contains, without those of inbound services and without faults. */
export function changesOf({ databases, managementPort }: PlannedNode): OverlayChanges {
  return {
    databases: databases.map(({ plan }) => plan),
    managementPort,
    demux: [],
    workload: null,
    faults: [],
    notices: [],
  };
}

/**
 * Proves that this node is registered in the southbound database, that ovn-controller is connected to it, that OVN has
 * installed the flows of the node's management port, and that its gateway is announced and connected. Returns faults
 * that other nodes have to correct.
 */
async function provePart(planned: PlannedNode, say: (step: string) => void): Promise<readonly string[]> {
  const { record, local } = planned;
  await withSouthbound(planned, async (southbound) => {
    say(`waiting up to ${registeredMs / 1000} s until ovn-controller has registered this node on the central node`);
    if (await southbound.appears(ownChassis(record), registeredMs)) {
      await proveConnected(planned, say);
      await provePort(record, southbound, say);
      return proveAnnounced(record, southbound, local.database, say);
    }
    throw new AgentError(
      'proof-failed',
      `ovn-controller has not registered ${record.node.name} within ${registeredMs / 1000} s`,
      {
        hint: 'look at journalctl -u ovn-controller and /var/log/ovn/ovn-controller.log for why it is not connected',
        facts: { systemId: record.node.systemId },
      },
    );
  });
  await proveInstalled(record, local.database, say);
  return proveGateway(record, local.database, say);
}

/**
 * Waits until ovn-controller is connected to the southbound database. Its chassis does not show this, because the row
 * remains while ovn-controller restarts or cannot connect.
 */
async function proveConnected({ record, places }: PlannedNode, say: (step: string) => void): Promise<void> {
  if (await controllerConnects(places, say)) return;
  throw new AgentError(
    'proof-failed',
    `ovn-controller of ${record.node.name} has not connected to the southbound database at ${record.southbound.join(', ')}`,
    { hint: 'look at journalctl -u ovn-controller and /var/log/ovn/ovn-controller.log for why it is not connected' },
  );
}

/**
 * Waits until the southbound database has this node's management port, which the central node creates. A removed node
 * has no such port, although its certificate still lets ovn-controller register.
 */
async function provePort(record: OverlayRecord, southbound: RowDatabase, say: (step: string) => void): Promise<void> {
  if (record.node.subnets.length === 0) return;
  const limitMs = record.members === null ? memberPortMs : portMs;
  say(`waiting up to ${limitMs / 1000} s until the central node has a port for this node`);
  if (await southbound.appears(portOf(record.node.name), limitMs)) return;
  throw new AgentError('proof-failed', missingPortText(record.node.name), { hint: missingPortHint(record.node.name) });
}

/**
 * Waits until OVN has installed the flows of the node's management port; does nothing on a node without pod subnets,
 * which has no such port.
 */
export async function proveInstalled(
  record: OverlayRecord,
  local: RowDatabase,
  say: (step: string) => void,
): Promise<void> {
  if (record.node.subnets.length === 0) return;
  say(`waiting up to ${installedMs / 1000} s until OVN has connected ${ownDevice(record)}`);
  if (await local.appears(installedPort(ownDevice(record)), installedMs)) return;
  throw new AgentError('proof-failed', `OVN has not connected ${ownDevice(record)} within ${installedMs / 1000} s`, {
    hint: 'look for flows that Open vSwitch refused in /var/log/ovn/ovn-controller.log, and at `microshift-net overlay verify` and /var/log/ovn/ovn-northd.log on the central node',
  });
}

/** Returns the row that appears when this node is registered in the southbound database: its chassis. */
export function ownChassis({ node }: OverlayRecord) {
  return { table: 'Chassis', where: [['name', '==', node.systemId]] } as const;
}

/** Returns the row that appears when the flows of an interface are installed (ovn-controller(8), ovn-installed). */
export function installedPort(name: string) {
  const where = [
    ['name', '==', name],
    ['external_ids', 'includes', ['map', [['ovn-installed', 'true']]]],
  ] as const;
  return { table: 'Interface', where } as const;
}

/**
 * Fails with `overlay-conflict` if a listener of another program lets other hosts, or users of this node other than
 * root, write to a central database.
 */
export function refuseOpenListeners({ listeners: [first] }: Pick<PlannedNode, 'listeners'>): void {
  if (first === undefined) return;
  throw new AgentError('overlay-conflict', listenerFault(first), {
    hint: listenerHint(first),
    facts: { database: first.database, target: first.target },
  });
}

/** Fails with `overlay-conflict` if Open vSwitch on this node is configured for another OVN cluster. */
export function refuseOtherOvn({ record, local }: PlannedNode): void {
  const [root] = local.rows.tables.Open_vSwitch ?? [];
  const ids = mapOf(root ?? null, 'external_ids');
  const other = ids['ovn-remote'];
  if (other === undefined || (ids['owner-keys'] ?? '').split(',').includes('ovn-remote')) return;
  throw new AgentError('overlay-conflict', `ovn-controller of this node works for ${other} already`, {
    hint: 'a node is in one OVN: take it out of the other first, or leave this one alone',
    facts: { ovnRemote: other, node: record.node.name },
  });
}
