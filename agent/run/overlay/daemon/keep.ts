import { readLinks } from '../../../drivers/host/links.ts';
import { AgentError, isAgentError } from '../../../errors.ts';
import { readHost } from '../../../facts/overlay.ts';
import type { Config } from '../../../model/config.ts';
import type { OverlayNode } from '../../../model/overlay.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { listenerFault } from '../../../overlay/listeners.ts';
import { withLockWhenFree } from '../../lock.ts';
import { bringArriving, changesOf, writePlanned } from '../apply.ts';
import { demuxDrift } from '../arriving.ts';
import { doCertificateWork } from '../certificates.ts';
import { gatewayMissing, isGatewayConnected } from '../gateway-proof.ts';
import { ensureCentral } from '../ovn-daemons.ts';
import { withOwnAddress } from '../own-address.ts';
import type { OverlayPlaces } from '../places.ts';
import { ownDevice, type PlannedNode, withPlan } from '../planned.ts';
import { readRecord, writeRecord } from '../record.ts';
import type { Scope } from './work.ts';

/** As it is in the lock's file, for who meets us. */
const command = 'overlay run';

/** How a node is after it was looked at. */
export interface Kept {
  readonly record: OverlayRecord;
  /** The members as they were planned. */
  readonly members: readonly OverlayNode[];
  /** Unauthorized write access to the cluster by other programs, and unauthorized claims of members; each is a sentence. */
  readonly refused: readonly string[];
  readonly changed: boolean;
  /** Why what arrives here is not as wanted, with databases and kernel that are. */
  readonly failure: AgentError | null;
}

/**
 * Brings the node to what its record says, and the record to the addresses at which the node is. The lock is taken only when there is something to
 * write, and everything is looked at again under it. A failure of what arrives here is told with the rest, which others depend on. null: this node is in no
 * overlay any more.
 */
export async function keepNode(
  scope: Scope,
  config: Pick<Config, 'overlay' | 'cluster'>,
  places: OverlayPlaces,
  say: (step: string) => void,
): Promise<Kept | null> {
  const present = readRecord(places.record);
  if (present === null) return null;
  // Later on a daemon that is stopped was stopped by somebody, and is waited for.
  if (scope === 'boot' && present.members !== null) await ensureCentral(places);
  const wanted = withOwnAddress(present, config, readHost());
  const found = await difference(wanted, places);
  if (found.rows === 0 && found.kernel > 0) requireDevice(wanted);
  if (scope === 'look' && wanted === present && found.rows + found.flows + found.kernel + found.steps === 0)
    return {
      record: wanted,
      members: found.members,
      refused: found.refused,
      changed: false,
      failure: found.failure,
    };
  return withLockWhenFree(command, async () => {
    const before = readRecord(places.record);
    if (before === null) return null;
    const record = withOwnAddress(before, config, readHost());
    const isOther = record !== before;
    if (isOther) writeRecord(places.record, record);
    const [was, is] = [before, record].map(({ node }) => node.encap.addresses.join(' and '));
    if (was !== is) say(`this node is at ${is} now`);
    if (record.members !== null) await ensureCentral(places);
    await withPlan(record, places, ({ certificates }) => doCertificateWork(certificates, record, places, say));
    return withPlan(record, places, async (planned) => {
      const { members } = planned;
      const refused = refusedOf(planned);
      const port = await writePlanned(planned, say);
      const rows = rowsOf(planned);
      try {
        // That OVN has carried it out is seen by `overlay verify`; nothing that is kept depends on it, and the central node may be away.
        const { demux } = await bringArriving(planned, say, () => gatewayLeft(planned));
        return { record, members, refused, changed: isOther || rows + port.length + demux.length > 0, failure: null };
      } catch (error) {
        return { record, members, refused, changed: true, failure: agentErrorIn(error) };
      }
    });
  });
}

/** What is left to do elsewhere for this node's gateway. ovn-controller's port, which comes then, is an event. */
async function gatewayLeft({ record, local }: PlannedNode): Promise<readonly string[]> {
  return (await isGatewayConnected(record, local.database, 0)) ? [] : [gatewayMissing(record)];
}

function difference(record: OverlayRecord, places: OverlayPlaces) {
  return withPlan(record, places, async (planned) => {
    const drift = await demuxDrift(planned).then(
      ({ demux, faults }) => ({ flows: faults.length === 0 ? demux.length : 0, failure: null }),
      (error: unknown) => ({ flows: 0, failure: agentErrorIn(error) }),
    );
    const { managementPort, members } = planned;
    const refused = refusedOf(planned);
    return {
      ...drift,
      rows: rowsOf(planned),
      kernel: managementPort.length,
      steps: planned.certificates.steps.length,
      members,
      refused,
    };
  });
}

/** Returns sentences about unauthorized write access to the cluster by other programs, and about unauthorized claims of members. */
function refusedOf({ listeners, refusedClaims, certificates, strangers }: PlannedNode): readonly string[] {
  return [...listeners.map(listenerFault), ...refusedClaims, ...certificates.refused, ...strangers];
}

function rowsOf(planned: PlannedNode): number {
  return changesOf(planned).databases.reduce((sum, plan) => sum + plan.changes.length, 0);
}

/** A mistake of ours is none, and goes on its way. */
function agentErrorIn(error: unknown): AgentError {
  if (isAgentError(error)) return error;
  throw error;
}

/** An interface that Open vSwitch makes when it is back is not waited for with the lock in hand: its coming is an event. */
function requireDevice(record: OverlayRecord): void {
  const device = ownDevice(record);
  if (readLinks().some(({ name }) => name === device)) return;
  throw new AgentError('proof-failed', `Open vSwitch has not made ${device}`, {
    hint: 'look at `ovs-vsctl show` and journalctl -u ovs-vswitchd for why',
  });
}
