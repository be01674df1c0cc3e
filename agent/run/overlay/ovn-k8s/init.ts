import { existsSync } from 'node:fs';
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
import { proveInstalled, settleKernel } from '../apply.ts';
import { ensureController } from '../daemons.ts';
import { refuseHostRanges } from '../membership.ts';
import type { OverlayPlaces } from '../places.ts';
import { ownDevice } from '../planned.ts';
import { readRecord } from '../record.ts';
import { carryOut, readRows } from '../rows.ts';
import { readSystemId } from '../system-id.ts';
import { macsForNode, type PlannedInit, planInit } from './planned.ts';

/** A race is lost to a node that has won one: with as many attempts as a cluster has nodes, each gets its turn. */
const attempts = 20;

/** ovn-controller takes milliseconds, and some seconds where br-int has just got another data path; 60 s are for a machine that swaps. */
const patchMs = 60_000;

/** Files of INSTALL.SSL.md of ovn-kubernetes, where no option says others. */
const tlsFiles = {
  privateKey: '/etc/openvswitch/ovncontroller-privkey.pem',
  certificate: '/etc/openvswitch/ovncontroller-cert.pem',
  ca: '/etc/openvswitch/ovnnb-ca.cert',
} as const;

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
    const remotes = switchSettings(rows, systemId).northbound;
    for (const remote of remotes) warnOfPlainText(remote, say);
    const northbound = await openNorthbound(remotes, credentialsOf(remotes, words)).catch(explained);
    try {
      // Its admin has told it where the cluster is, so that it can run before anything is written.
      await ensureController(places);
      const planned = await writeRows(request, { local, northbound, systemId, places }, say);
      const record = recordOf(planned);
      const port = await settleKernel(record, say);
      await proveInstalled(record, local, say);
      await provePatch(planned.node, local, say);
      return { databases: [planned.northbound, planned.local], managementPort: port, faults: [] };
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
    } catch (error) {
      if (left === 1 || !/timed out/.test(String(error))) throw error;
      say('another node has written at the same time; planning again');
      continue;
    }
    await carryOut(local, planned.local, below);
    return planned;
  }
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
  const where = [
    ['name', '==', inside],
    ['external_ids', 'includes', ['map', [['ovn-installed', 'true']]]],
  ] as const;
  if (await local.appears({ table: 'Interface', where }, patchMs)) return;
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

/** Files for TLS; undefined where no server needs them. */
function credentialsOf(remotes: readonly string[], { nbPrivkey, nbCert, nbCacert }: NodeWords) {
  if (!remotes.some((remote) => remote.startsWith('ssl:'))) return undefined;
  const files = [
    ['--nb-privkey', nbPrivkey ?? tlsFiles.privateKey],
    ['--nb-cert', nbCert ?? tlsFiles.certificate],
    ['--nb-cacert', nbCacert ?? tlsFiles.ca],
  ] as const;
  const missing = files.find(([, file]) => !existsSync(file));
  if (missing !== undefined) {
    throw new AgentError('bad-usage', `${missing[1]} is missing, and the northbound database answers with TLS`, {
      hint: `name another file: ${missing[0]} FILE`,
      facts: { file: missing[1] },
    });
  }
  const [[, privateKey], [, certificate], [, ca]] = files;
  return { privateKey, certificate, ca };
}

/** The hints of a cluster with certificates of ours would lead astray. */
function explained(error: unknown): never {
  if (!isAgentError(error) || error.kind !== 'certificates-refused') throw error;
  throw new AgentError(error.kind, error.message, {
    hint: 'look at the files of --nb-privkey, --nb-cert and --nb-cacert; `ovn-nbctl` with the same ones says more',
    cause: error,
  });
}
