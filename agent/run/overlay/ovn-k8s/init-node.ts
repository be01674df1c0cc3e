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
 * Number of attempts after another node has written first. Each lost race is won by another node, so this is enough for
 * a cluster of that many nodes.
 */
const attempts = 20;

/**
 * Limit for ovn-controller to install the gateway's port. It takes milliseconds, or some seconds after br-int has
 * changed its data path; 60 s allow for a machine that swaps.
 */
const patchMs = 60_000;

/**
 * Applies a request to the northbound database that `external_ids:ovn-nb` names and to the node's own Open vSwitch.
 * Keeps no record, and writes nothing if nothing differs. Changes each database in one transaction. After a failure,
 * the same command continues.
 */
export async function initNode(
  request: NodeRequest,
  words: NodeWords,
  places: OverlayPlaces,
  say: (line: string) => void,
): Promise<OverlayChanges> {
  refuseMember(places);
  const local = await openSwitchDatabase(places.ovsRun);
  try {
    const rows = await readRows(local, overlayTables.Open_vSwitch);
    const systemId = readSystemId(places.systemId);
    const { northbound: remotes, southbound } = switchSettings(rows, systemId);
    // The connection for the services is opened after all rows are written; a missing file has to be reported before.
    if (request.gateway?.device.kind === 'bridge') credentialsOf(southbound, 'southbound', words);
    for (const remote of remotes) warnOfPlainText(remote, say);
    const northbound = await openNorthbound(remotes, credentialsOf(remotes, 'northbound', words)).catch(explained);
    try {
      // The admin has configured the address of the cluster, so ovn-controller can run before anything is written.
      await ensureController(places);
      const planned = await writeRows(request, { local, northbound, systemId, places }, say);
      const record = recordOf(planned);
      const port = await applyKernel(record, say);
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

/** Plans and writes, again if another node has written meanwhile. */
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
 * True if a guard of the transaction did not hold. A `wait` operation with timeout 0 then fails with "timed out" (RFC
 * 7047, section 5.2.6), although the server has answered.
 */
function isLostRace(error: unknown): boolean {
  return isAgentError(error) && error.kind === 'ovsdb-refused' && error.message.includes('timed out');
}

/** Returns a record for functions that need one. */
function recordOf({ layout, node, settings }: PlannedInit): OverlayRecord {
  return { format: 1, layout, southbound: settings.southbound, node, members: null };
}

/** Waits until OVN has installed the patch port of the gateway (ovn-controller(8), ovn-installed). */
async function provePatch({ gateway }: OverlayNode, local: RowDatabase, say: (line: string) => void): Promise<void> {
  if (gateway === null) return;
  const { inside } = patchNames(gateway.bridge);
  say(`waiting up to ${patchMs / 1000} s until OVN has connected ${inside}`);
  if (await local.appears(installedPort(inside), patchMs)) return;
  throw new AgentError('proof-failed', `OVN has not connected ${inside} within ${patchMs / 1000} s`, {
    hint: 'look at /var/log/ovn/ovn-controller.log, and at `ovn-nbctl show` on the central node',
  });
}

/** Returns a random MAC with the prefix 00:00:00, as ovn-kubernetes of 2017 made them. */
function randomMac(): string {
  const bytes = [0, 0, 0, ...crypto.getRandomValues(new Uint8Array(3))];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/** Fails with `overlay-conflict` if this node is already in a cluster of `microshift-net overlay`. */
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
