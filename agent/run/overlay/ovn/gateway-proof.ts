import type { RowDatabase } from '../../../drivers/ovn/database.ts';
import { AgentError } from '../../../errors.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { grantCommand, nothingGranted, ungranted } from '../../../overlay/members/grants.ts';
import { uplinkPort } from '../../../overlay/overlay-names.ts';
import { mapOf } from '../../../overlay/rows/row-index.ts';
import { readColumns } from './database-rows.ts';

/**
 * Time limit for ovn-controller to copy the node's settings into its Chassis row. ovn-controller takes milliseconds; 60
 * s allow for a machine that swaps.
 */
const announcedMs = 60_000;
/**
 * Time limit for ovn-controller to connect this node's gateway to its bridge, if this node is the central node. All
 * rows are already written, so only ovn-northd and ovn-controller have to do their work, which takes milliseconds.
 */
const ownMs = 60_000;
/**
 * Time limit for ovn-controller to connect this node's gateway to its bridge, if this node is a member. The daemon of
 * the central node writes the gateway's rows within a second of the announcement. If that daemon is not running, a
 * longer wait would be useless.
 */
const elsewhereMs = 5_000;

/**
 * Waits until the Chassis row contains the announcement of this node's gateway, which the plan has written to the
 * database of Open vSwitch. Returns at once if the node has no gateway.
 */
export async function proveAnnounced(
  { node }: OverlayRecord,
  southbound: RowDatabase,
  local: RowDatabase,
  say: (step: string) => void,
): Promise<void> {
  if (node.gateway === null) return;
  say(`waiting up to ${announcedMs / 1000} s until ovn-controller has announced the gateway`);
  const { tables } = await readColumns(local, { Open_vSwitch: ['external_ids'] });
  const options = mapOf(tables.Open_vSwitch?.[0] ?? null, 'external_ids')['ovn-cms-options'] ?? '';
  const where = [
    ['name', '==', node.systemId],
    ['other_config', 'includes', ['map', [['ovn-cms-options', options]]]],
  ] as const;
  if (await southbound.appears({ table: 'Chassis', where }, announcedMs)) return;
  throw new AgentError('proof-failed', `ovn-controller has not announced the gateway within ${announcedMs / 1000} s`, {
    hint: 'look at /var/log/ovn/ovn-controller.log for why it does not change its chassis',
    facts: { systemId: node.systemId },
  });
}

/**
 * Waits until OVN has connected the gateway. At the time limit, fails with `proof-failed` on the central node; on
 * another node, returns a sentence that names the command to run on the central node.
 */
export async function proveGateway(
  record: OverlayRecord,
  local: RowDatabase,
  say: (step: string) => void,
): Promise<readonly string[]> {
  const isCentral = record.members !== null;
  const limitMs = isCentral ? ownMs : elsewhereMs;
  if (record.node.gateway !== null) say(`waiting up to ${limitMs / 1000} s until packets can leave here`);
  if (await isGatewayConnected(record, local, limitMs)) return [];
  if (!isCentral) return [gatewayMissing(record)];
  throw new AgentError('proof-failed', `OVN has not connected the gateway within ${ownMs / 1000} s`, {
    hint: 'look at /var/log/ovn/ovn-northd.log and /var/log/ovn/ovn-controller.log',
  });
}

/**
 * Returns true if ovn-controller connects this node's gateway to its bridge within the time limit (ovn-controller(8),
 * ovn-localnet-port), or if the node is to have no gateway.
 */
export async function isGatewayConnected(
  { layout, node }: OverlayRecord,
  local: RowDatabase,
  limitMs: number,
): Promise<boolean> {
  if (node.gateway === null) return true;
  const port = uplinkPort(layout.naming, node.name, node.gateway);
  const where = [['external_ids', 'includes', ['map', [['ovn-localnet-port', port]]]]] as const;
  return local.appears({ table: 'Port', where }, limitMs);
}

/** Returns the reasons why the requested gateway cannot exist at present. */
export function gatewayFaults({ gateway, node }: OverlayRecord): readonly string[] {
  if (gateway === undefined || node.gateway !== null) return [];
  return [`${gateway.interface ?? gateway.bridge} does not exist, and packets cannot leave the cluster by it`];
}

/**
 * Returns the sentence about a gateway whose rows the central node has not written, with the command to run on the
 * central node.
 */
export function gatewayMissing({ node, southbound }: OverlayRecord): string {
  const missing = `the central node (${southbound.join(', ')}) has not made ${node.name} a gateway yet: run there`;
  // Only the central node knows which addresses and subnets this gateway may use. The command `overlay pki grant` in
  // the sentence therefore names every address and subnet that may have to be granted.
  const needed = node.gateway === null ? nothingGranted : ungranted(node, node.gateway, node.encap.addresses);
  const grant = grantCommand(node.name, needed);
  return `${missing} ${grant === null ? 'microshift-net overlay apply' : `${grant}, or, where that was done, microshift-net overlay apply`}`;
}
