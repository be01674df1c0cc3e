// Overlay of two nodes for tests of `overlay trace`: n1 runs the central databases and is a gateway with an address of
// its own.
import { readFileSync } from 'node:fs';
import type { Test } from 'tap';
import { connect } from '../../agent/drivers/ovsdb/index.ts';
import type { OverlayRecord } from '../../agent/model/overlay-record.ts';
import { planNorthbound } from '../../agent/overlay/plan-northbound.ts';
import { operationsOf } from '../../agent/overlay/rows/row-operations.ts';
import { factsOf, gatewayOf } from '../unit/overlay/cluster.ts';
import { readRows } from './central.ts';
import { form } from './form.ts';
import { type Host, startLan } from './hosts.ts';

/** Host that is not on the LAN. */
export const outside = '203.0.113.9';
const router = { address: '192.0.2.254', mac: '52:54:00:ff:ff:01' };

/** Creates two nodes of a cluster, the first of them central and with a gateway. */
export async function twoNodes(t: Test): Promise<readonly [Host, Host]> {
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  form(t, [n1, n2]);
  const record = JSON.parse(readFileSync(n1.path('/var/lib/microshift-net/overlay.json'), 'utf8')) as OverlayRecord;
  const gateway = gatewayOf(1, { addresses: ['192.0.2.21/24'], nextHops: [router.address] });
  const nodes = (record.members ?? []).map((node) => (node.name === 'n1' ? { ...node, gateway } : node));
  const northbound = await connect(n1.path('/run/ovn/ovnnb_db.sock'), 60_000);
  const rows = await readRows(northbound);
  const plan = planNorthbound(factsOf(rows, { layout: record.layout, nodes }));
  await northbound.transact('OVN_Northbound', operationsOf(plan, rows.shape));
  northbound.close();
  n1.must('ovs-vsctl', 'set', 'Open_vSwitch', '.', 'external_ids:ovn-bridge-mappings=physnet:br-ex');
  n1.must('ovn-nbctl', '--wait=hv', 'sync');
  return [n1, n2];
}

/**
 * Writes the row that OVN learns when the LAN's router answers the gateway, with the present time: ovn-northd removes
 * entries that are older than five minutes.
 */
export function learn(n1: Host): void {
  const find = ['--bare', '--columns=_uuid', 'find', 'Datapath_Binding', 'external_ids:name=GR_n1'];
  const binding = [
    'logical_port=rtoe-GR_n1',
    `ip="${router.address}"`,
    `mac="${router.mac}"`,
    `timestamp=${Date.now()}`,
  ];
  n1.must('ovn-sbctl', 'create', 'MAC_Binding', ...binding, `datapath=${n1.must('ovn-sbctl', ...find).trim()}`);
  n1.must('ovn-nbctl', '--wait=hv', 'sync');
}

/** Adds an ACL to a row of a table that has ACLs. The ACL drops SSH, and is marked as one of a NetworkPolicy. */
export function denySsh(n1: Host, policy: string, outport: string, table: string, row: string): void {
  const acl = ['priority=1000', 'direction=to-lport', 'action=drop', `match="outport == ${outport} && tcp.dst == 22"`];
  const owner = [
    'external_ids:k8s.ovn.org/owner-type=NetworkPolicy',
    `external_ids:k8s.ovn.org/name=default:${policy}`,
  ];
  const create = ['--id=@acl', 'create', 'ACL', ...acl, ...owner];
  n1.must('ovn-nbctl', '--wait=hv', '--', ...create, '--', 'add', table, row, 'acls', '@acl');
}
