import { openNorthbound, openSwitchDatabase, type RowDatabase } from '../../../drivers/ovn/database.ts';
import { AgentError, isAgentError } from '../../../errors.ts';
import { readNic } from '../../../facts/overlay-host.ts';
import type { OverlayNode } from '../../../model/overlay.ts';
import type { OverlayChanges } from '../../../model/overlay-plan.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { NodeRequest, NodeWords } from '../../../model/ovn-k8s.ts';
import { switchSettings } from '../../../overlay/local/switch-settings.ts';
import { patchNames } from '../../../overlay/overlay-names.ts';
import { overlayTables } from '../../../overlay/rows/overlay-tables.ts';
import { applyKernel, installedPort, proveInstalled } from '../node/apply-overlay.ts';
import { refuseHostRanges } from '../node/membership.ts';
import { ownDevice } from '../node/planned-node.ts';
import { carryOut, readRows } from '../ovn/database-rows.ts';
import { ensureController } from '../ovn/ovn-daemons.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { readRecord } from '../record/record.ts';
import { readSystemId } from '../record/system-id.ts';
import { credentialsOf, explained } from './ovn-credentials.ts';
import { macsForNode, type PlannedInit, planInit } from './planned-init.ts';
import { applyShared } from './shared.ts';

/**
 * Number of times that the rows are planned and written if other nodes change them in the meantime. Of the nodes that
 * write at the same time, at least one succeeds each time, so the number is enough for a cluster with as many nodes.
 */
const attempts = 20;

/**
 * Time limit for ovn-controller to install the gateway's patch port. ovn-controller takes milliseconds, or some seconds
 * after a change of the data path of br-int; 60 s allow for a machine that swaps.
 */
const patchMs = 60_000;

/**
 * Applies a request to the northbound database that `external_ids:ovn-nb` names, and to the database of Open vSwitch on
 * this node, each in one transaction. Stores no record, and writes nothing if nothing differs. After a failure, the
 * same command can be repeated.
 */
export async function initNode(
  request: NodeRequest,
  words: NodeWords,
  places: OverlayPlaces,
  say: (line: string) => void,
): Promise<OverlayChanges> {
  refuseMember(places);
  const local = await openSwitchDatabase(places.ovsRun, places.stop);
  try {
    const rows = await readRows(local, overlayTables.Open_vSwitch);
    const systemId = readSystemId(places.systemId);
    const { northbound: remotes, southbound } = switchSettings(rows, systemId);
    // The southbound database, which has the services, is read only after all rows are written. The certificate files
    // for that connection are therefore checked here, so that a missing file is reported before any change.
    if (request.gateway?.device.kind === 'bridge') credentialsOf(southbound, 'southbound', words);
    for (const remote of remotes) warnOfPlainText(remote, say);
    const northbound = await openNorthbound(remotes, credentialsOf(remotes, 'northbound', words), places.stop).catch(
      explained,
    );
    try {
      // ovn-controller can start before the rows are written, because the administrator has already configured the
      // address of the southbound database.
      await ensureController(places, say);
      const planned = await writeRows(request, { local, northbound, systemId, places }, say);
      const record = recordOf(planned);
      const port = await applyKernel(record, say, places.stop);
      await proveInstalled(record, local, say);
      await provePatch(planned.node, local, say);
      const demux = await applyShared(record, words, places, local, say);
      return {
        databases: [planned.northbound, planned.local],
        managementPort: port,
        demux,
        workload: null,
        faults: [],
        notices: [],
      };
    } finally {
      northbound.close();
    }
  } finally {
    local.close();
  }
}

interface Databases {
  readonly local: RowDatabase;
  readonly northbound: RowDatabase;
  readonly systemId: string | null;
  readonly places: OverlayPlaces;
}

/**
 * Makes a plan and carries out its changes in both databases. Starts again if another node has changed the rows in the
 * meantime.
 */
async function writeRows(
  request: NodeRequest,
  { local, northbound, systemId, places }: Databases,
  say: (line: string) => void,
): Promise<PlannedInit> {
  const randomMacs = Array.from({ length: macsForNode }, randomMac);
  for (let left = attempts; ; left -= 1) {
    const [above, below, host] = [
      await readRows(northbound, overlayTables.OVN_Northbound),
      await readRows(local, overlayTables.Open_vSwitch),
      await readNic(request.gateway?.device.kind === 'nic' ? request.gateway.device.name : null),
    ];
    const inputs = { request, host, systemId, local: below, northbound: above, randomMacs, places };
    const planned = planInit(inputs);
    refuseHostRanges(planned.layout, host, [ownDevice(planned)]);
    try {
      await carryOut(northbound, planned.northbound, above);
      await carryOut(local, planned.local, below);
      return planned;
    } catch (error) {
      if (left === 1 || !isLostRace(error)) throw error;
      say('another node wrote at the same time; planning again');
    }
  }
}

/**
 * Returns true if a transaction failed because rows had changed. The `wait` operation of the transaction, with timeout
 * 0, then fails with "timed out" (RFC 7047, section 5.2.6), although the server has answered in time.
 */
function isLostRace(error: unknown): boolean {
  return isAgentError(error) && error.kind === 'ovsdb-refused' && error.message.includes('timed out');
}

/**
 * Returns a record of the node, which other functions need as an argument. The commands of ovn-k8s-overlay never store
 * a record.
 */
function recordOf({ layout, node, settings }: PlannedInit): OverlayRecord {
  return { format: 1, layout, southbound: settings.southbound, node, members: null };
}

/** Waits until OVN has installed the flows of the gateway's patch port (ovn-controller(8), ovn-installed). */
async function provePatch({ gateway }: OverlayNode, local: RowDatabase, say: (line: string) => void): Promise<void> {
  if (gateway === null) return;
  const { inside } = patchNames(gateway.bridge);
  say(`waiting up to ${patchMs / 1000} s until OVN has connected ${inside}`);
  if (await local.appears(installedPort(inside), patchMs)) return;
  throw new AgentError('proof-failed', `OVN has not connected ${inside} within ${patchMs / 1000} s`, {
    hint: 'look at /var/log/ovn/ovn-controller.log, and at `ovn-nbctl show` on the central node',
  });
}

/** Returns a random MAC with the prefix 00:00:00, like the MACs of ovn-kubernetes of 2017. */
function randomMac(): string {
  const bytes = [0, 0, 0, ...crypto.getRandomValues(new Uint8Array(3))];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/** Fails with `overlay-conflict` if `microshift-net overlay` has made this node a member of a cluster. */
function refuseMember({ record }: OverlayPlaces): void {
  const present = readRecord(record);
  if (present === null) return;
  throw new AgentError('overlay-conflict', `this node is ${present.node.name} of a cluster of microshift-net overlay`, {
    hint: 'it has everything that these commands make; to start again with them: microshift-net overlay leave',
  });
}

function warnOfPlainText(remote: string, say: (line: string) => void): void {
  if (remote.startsWith('tcp:'))
    say(
      `warning: ${remote} is not encrypted, and any host that reaches the port (ptcp:) can change the whole cluster; use ssl: with certificates, or microshift-net overlay`,
    );
}
