import { openNorthbound, openSwitchDatabase, type RowDatabase } from '../../../drivers/ovn/database.ts';
import { AgentError, isAgentError } from '../../../errors.ts';
import { readNic } from '../../../facts/overlay.ts';
import type { OverlayNode } from '../../../model/overlay.ts';
import type { OverlayChanges } from '../../../model/overlay-plan.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { NodeRequest, NodeWords } from '../../../model/ovn-k8s.ts';
import { patchNames } from '../../../overlay/names.ts';
import { switchSettings } from '../../../overlay/switch-settings.ts';
import { overlayTables } from '../../../overlay/tables.ts';
import { applyKernel, installedPort, proveInstalled } from '../apply.ts';
import { refuseHostRanges } from '../membership.ts';
import { ensureController } from '../ovn-daemons.ts';
import type { OverlayPlaces } from '../places.ts';
import { ownDevice } from '../planned.ts';
import { readRecord } from '../record.ts';
import { carryOut, readRows } from '../rows.ts';
import { readSystemId } from '../system-id.ts';
import { credentialsOf, explained } from './credentials.ts';
import { macsForNode, type PlannedInit, planInit } from './planned.ts';
import { applyShared } from './shared.ts';

/** A race is lost to a node that has won one: with as many attempts as a cluster has nodes, each gets its turn. */
const attempts = 20;

/** ovn-controller takes milliseconds, and some seconds where br-int has just got another data path; 60 s are for a machine that swaps. */
const patchMs = 60_000;

/**
 * Makes this node what it is asked to be, in the northbound database that `external_ids:ovn-nb` names and in its own Open vSwitch. Nothing is
 * remembered elsewhere, and nothing is written where nothing differs. Each database is changed by one transaction; after a failure the same
 * command goes on where it ended.
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
    // It is asked for services once all is written; what is missing for that has to be said before.
    if (request.gateway?.device.kind === 'bridge') credentialsOf(southbound, 'southbound', words);
    for (const remote of remotes) warnOfPlainText(remote, say);
    const northbound = await openNorthbound(remotes, credentialsOf(remotes, 'northbound', words)).catch(explained);
    try {
      // Its admin has told it where the cluster is, so that it can run before anything is written.
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

/** Plans and writes until no other node has written meanwhile. */
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
      say('somebody has written at the same time; planning again');
    }
  }
}

/** A guard that does not hold times out at once (RFC 7047 section 5.2.6), which the server says of the transaction; it answers all the same. */
function isLostRace(error: unknown): boolean {
  return isAgentError(error) && error.kind === 'ovsdb-refused' && error.message.includes('timed out');
}

/** What the parts of the overlay that have a record are handed instead of one. */
function recordOf({ layout, node, settings }: PlannedInit): OverlayRecord {
  return { format: 1, layout, southbound: settings.southbound, node, members: null };
}

/** Waits until OVN carries the port by which a gateway leaves (ovn-controller(8), ovn-installed). */
async function provePatch({ gateway }: OverlayNode, local: RowDatabase, say: (line: string) => void): Promise<void> {
  if (gateway === null) return;
  const { inside } = patchNames(gateway.bridge);
  say(`waiting until ${inside} is part of the cluster`);
  if (await local.appears(installedPort(inside), patchMs)) return;
  throw new AgentError('proof-failed', `OVN has not connected ${inside} within ${patchMs / 1000} s`, {
    hint: 'look at /var/log/ovn/ovn-controller.log, and at `ovn-nbctl show` on the central node',
  });
}

/** As the tool of 2017 made them, in the block of MACs that is nobody's. */
function randomMac(): string {
  const bytes = [0, 0, 0, ...crypto.getRandomValues(new Uint8Array(3))];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/** A node is in one cluster, by one way. */
function refuseMember({ record }: OverlayPlaces): void {
  const present = readRecord(record);
  if (present === null) return;
  throw new AgentError('overlay-conflict', `this node is ${present.node.name} of a cluster of microshift-net overlay`, {
    hint: 'it has all that these commands make; to begin anew with them: microshift-net overlay leave',
  });
}

function warnOfPlainText(remote: string, say: (line: string) => void): void {
  if (remote.startsWith('tcp:'))
    say(
      `warning: ${remote} is not encrypted, and whoever reaches the port (ptcp:) can rewrite the whole cluster; ssl: with certificates, or microshift-net overlay, keeps others out`,
    );
}
