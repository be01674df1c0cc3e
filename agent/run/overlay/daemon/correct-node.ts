import { readLinks } from '../../../drivers/host/kernel/links.ts';
import { AgentError, isAgentError } from '../../../errors.ts';
import { readHost } from '../../../facts/overlay-host.ts';
import type { Config } from '../../../model/config.ts';
import type { OverlayNode } from '../../../model/overlay.ts';
import { vtepPeersOf } from '../../../model/overlay-peer.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { listenerFault } from '../../../overlay/listeners.ts';
import { vtepDevice } from '../../../overlay/overlay-names.ts';
import { withLockWhenFree } from '../../lock.ts';
import type { Outcome } from '../loop/pace.ts';
import type { Scope } from '../loop/work.ts';
import { changesOf, installAndProveInbound, writePlanned } from '../node/apply-overlay.ts';
import { doCertificateWork } from '../node/certificate-renewal.ts';
import { sharedFlowDrift } from '../node/inbound-flows.ts';
import { directProblems } from '../node/lost-pods.ts';
import { withOwnAddress } from '../node/own-address.ts';
import { ownDevice, type PlannedNode, withPlan } from '../node/planned-node.ts';
import { storedServices } from '../node/stored-inbound.ts';
import { gatewayMissing, isGatewayConnected } from '../ovn/gateway-proof.ts';
import { ensureCentral } from '../ovn/ovn-daemons.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { readRecord, writeRecord } from '../record/record.ts';

/** Command that the name of the lock file contains; other commands report it while they wait. */
const command = 'overlay run';

/** Result of bringing a node into the state of its record. */
export interface Corrected {
  readonly record: OverlayRecord;
  /** Members of the cluster with their announcements, on which the plan is based. */
  readonly members: readonly OverlayNode[];
  /**
   * Sentences about other programs with unauthorized write access to the cluster, about refused claims and certificate
   * requests of members, about chassis that belong to no member, about interfaces that this node cannot attach to
   * br-int, and about direct routes that are missing in a cluster without tunnels.
   */
  readonly refused: readonly string[];
  /** MTU of the pods' interfaces in bytes. */
  readonly podMtuBytes: number;
  /** Names of the interfaces that lead to hosts that are not pods, and of the VXLAN devices for peers. */
  readonly devices: readonly string[];
  readonly outcome: Outcome;
  /**
   * Failure in the inbound services, while the databases and the kernel are in the desired state; null if nothing
   * failed.
   */
  readonly failure: AgentError | null;
}

/**
 * Updates the record to the node's present addresses, and brings the node into the state of the record. With the scope
 * `look`, takes the lock only if there is a difference, and compares again under the lock. A failure in the inbound
 * services is a part of the result, because the caller needs the other parts as well. Returns null if the node has left
 * its overlay.
 */
export async function correctNode(
  scope: Scope,
  config: Pick<Config, 'overlay' | 'cluster'>,
  places: OverlayPlaces,
  say: (step: string) => void,
): Promise<Corrected | null> {
  const present = readRecord(places.record);
  if (present === null) return null;
  // A run with the scope `look` does not start the central daemons before its comparison. If one of them is not running
  // then, an administrator has stopped it.
  if (scope === 'boot' && present.members !== null) await ensureCentral(places, say);
  if (scope === 'look') {
    const wanted = withOwnAddress(present, config, readHost());
    const { isDifferent, ...found } = await difference(wanted, places);
    if (!isDifferent && wanted === present) return { record: wanted, outcome: 'nothing', ...found };
  }
  return withLockWhenFree(command, async () => {
    const before = readRecord(places.record);
    if (before === null) return null;
    const record = withOwnAddress(before, config, readHost());
    const isOther = record !== before;
    if (isOther) writeRecord(places.record, record);
    const [was, is] = [before, record].map(({ node }) => node.encap.addresses.join(' and '));
    if (was !== is) say(`this node is at ${is} now`);
    if (record.members !== null) await ensureCentral(places, say);
    const apply = (planned: PlannedNode): Promise<Corrected> => applyPlanned(planned, record, isOther, say);
    const applied = await withPlan(record, places, async (planned) => {
      if (planned.certificates.steps.length === 0) return apply(planned);
      await doCertificateWork(planned.certificates, record, places, say);
      return null;
    });
    // A second plan follows the work on certificates, because the rows of the southbound database contain its results.
    return applied ?? withPlan(record, places, apply);
  });
}

/** Writes the changes of a plan, and installs the flows of inbound services. */
async function applyPlanned(
  planned: PlannedNode,
  record: OverlayRecord,
  isOther: boolean,
  say: (step: string) => void,
): Promise<Corrected> {
  const { members, places, podMtuBytes } = planned;
  const found = { record, members, refused: refusedOf(planned), devices: devicesOf(planned), podMtuBytes };
  requireDevice(planned);
  const port = await writePlanned(planned, say);
  const rows = rowsOf(planned) + port.length;
  const services = storedServices(places);
  try {
    // The daemon does not wait until OVN has applied the written rows, because the central node may not answer.
    // `overlay verify` checks whether OVN has applied them.
    const { demux } = await installAndProveInbound(planned, say, () => gatewayLeft(planned));
    const hasNews = storedServices(places) !== services;
    const isCorrected = !isOther && (rows > 0 || (demux.length > 0 && !hasNews));
    const followed = isOther || demux.length > 0 ? 'followed' : 'nothing';
    return { ...found, outcome: isCorrected ? 'corrected' : followed, failure: null };
  } catch (error) {
    return { ...found, outcome: 'corrected', failure: agentErrorIn(error) };
  }
}

/**
 * Returns the faults of this node's gateway that other nodes have to correct. Does not wait until they are corrected:
 * after a correction, ovn-controller creates a port, and the new port causes an event that starts another run.
 */
async function gatewayLeft({ record, local }: PlannedNode): Promise<readonly string[]> {
  return (await isGatewayConnected(record, local.database, 0)) ? [] : [gatewayMissing(record)];
}

/** Compares the node with its record. */
function difference(record: OverlayRecord, places: OverlayPlaces) {
  return withPlan(record, places, async (planned) => {
    requireDevice(planned);
    const { flows, hasStoredMtu, failure } = await sharedFlowDrift(planned).then(
      ({ demux, faults, hasStoredMtu }) => ({
        flows: faults.length === 0 ? demux.length : 0,
        hasStoredMtu,
        failure: null,
      }),
      (error: unknown) => ({ flows: 0, hasStoredMtu: true, failure: agentErrorIn(error) }),
    );
    const { managementPort, members, certificates, podMtuBytes } = planned;
    const changes = rowsOf(planned) + flows + managementPort.length + certificates.steps.length;
    const isDifferent = changes > 0 || !hasStoredMtu;
    return { isDifferent, members, refused: refusedOf(planned), devices: devicesOf(planned), podMtuBytes, failure };
  });
}

/**
 * Returns sentences about other programs with unauthorized write access to the cluster, about refused claims and
 * certificate requests of members, about chassis that belong to no member, about interfaces that this node cannot
 * attach to br-int, and about direct routes that are missing in a cluster without tunnels.
 */
function refusedOf(planned: PlannedNode): readonly string[] {
  const { listeners, refusedClaims, certificates, strangers, portFaults } = planned;
  return [
    ...listeners.map(listenerFault),
    ...refusedClaims,
    ...certificates.refused,
    ...strangers,
    ...portFaults,
    ...directProblems(planned),
  ];
}

function devicesOf({ attached, peers }: PlannedNode): readonly string[] {
  return [...attached, ...vtepPeersOf(peers ?? []).map(({ vtep }) => vtepDevice(vtep.vni))];
}

function rowsOf(planned: PlannedNode): number {
  return changesOf(planned).databases.reduce((sum, plan) => sum + plan.changes.length, 0);
}

/** Returns the error if it is an AgentError. Throws any other error, which is a defect of the agent. */
function agentErrorIn(error: unknown): AgentError {
  if (isAgentError(error)) return error;
  throw error;
}

/**
 * Fails with `proof-failed` if the kernel lacks entries only because Open vSwitch has not created the interface of the
 * node's management port. The daemon does not wait for the interface while it holds the lock. The creation of the
 * interface causes an event, after which the daemon tries again.
 */
function requireDevice(planned: PlannedNode): void {
  const device = ownDevice(planned.record);
  if (rowsOf(planned) > 0 || planned.managementPort.length === 0) return;
  if (readLinks().some(({ name }) => name === device)) return;
  throw new AgentError('proof-failed', `Open vSwitch has not made ${device}`, {
    hint: 'look at `ovs-vsctl show` and journalctl -u ovs-vswitchd for why',
  });
}
