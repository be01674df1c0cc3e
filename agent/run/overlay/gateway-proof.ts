import type { RowDatabase } from '../../drivers/ovn/database.ts';
import { AgentError } from '../../errors.ts';
import type { OverlayRecord } from '../../model/overlay-record.ts';
import type { DatabaseRows } from '../../model/rows.ts';
import { mapOf } from '../../overlay/existing.ts';
import { grantCommand, nothingGranted, ungranted } from '../../overlay/grants.ts';
import { uplinkPort } from '../../overlay/names.ts';
import { sharedSettings } from '../../overlay/shared-settings.ts';

/** ovn-controller copies settings into its chassis within milliseconds; 60 s are for a machine that swaps. */
const announcedMs = 60_000;
/** On the central node all is written when this is asked: ovn-northd and ovn-controller take milliseconds then. */
const ownMs = 60_000;
/** The central node's daemon writes a gateway within a second of its announcement. Where it has none, nobody shall wait long. */
const elsewhereMs = 5_000;

/** Waits until the central node can read what this one announces of its gateway. Nothing to wait for without one. */
export async function proveAnnounced(
  { node }: OverlayRecord,
  southbound: RowDatabase,
  local: DatabaseRows,
): Promise<void> {
  if (node.gateway === null) return;
  const ids = mapOf(local.tables.Open_vSwitch?.[0] ?? null, 'external_ids');
  const options = sharedSettings(ids, node.gateway).put['ovn-cms-options'] ?? '';
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

/** Waits until packets can leave here. On the central node that is a proof; elsewhere it is the central node's turn: a sentence says so. */
export async function proveGateway(record: OverlayRecord, local: RowDatabase): Promise<readonly string[]> {
  const isCentral = record.members !== null;
  if (await isGatewayConnected(record, local, isCentral ? ownMs : elsewhereMs)) return [];
  if (!isCentral) return [gatewayMissing(record)];
  throw new AgentError('proof-failed', `OVN has not connected the gateway within ${ownMs / 1000} s`, {
    hint: 'look at /var/log/ovn/ovn-northd.log and /var/log/ovn/ovn-controller.log',
  });
}

/** True when ovn-controller has connected this node's gateway with its bridge (ovn-controller(8), ovn-localnet-port), or none is wanted. */
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

/** Why a gateway that is wanted cannot be one now. */
export function gatewayFaults({ gateway, node }: OverlayRecord): readonly string[] {
  if (gateway === undefined || node.gateway !== null) return [];
  return [`there is no ${gateway.interface ?? gateway.bridge}, by which packets would leave the cluster`];
}

/** What is left to do for a gateway that the central node has not written. */
export function gatewayMissing({ node, southbound }: OverlayRecord): string {
  const missing = `the central node (${southbound.join(', ')}) has not made ${node.name} a gateway yet: run there`;
  // Grants are known on the central node only.
  const needed = node.gateway === null ? nothingGranted : ungranted(node, node.gateway, node.encap.addresses);
  const grant = grantCommand(node.name, needed);
  return `${missing} ${grant === null ? 'microshift-net overlay apply' : `${grant}, or, where that was done, microshift-net overlay apply`}`;
}
