import type { OverlayGateway } from '../model/overlay.ts';
import type { DatabaseRows, RowChange } from '../model/rows.ts';
import { indexRows, mapOf } from './existing.ts';

/**
 * Makes a shared bridge keep its MAC: the gateway answers with it, and Open vSwitch would choose again with each port that is put in
 * (ovs-vswitchd.conf.db(5), other_config:hwaddr). One that is said already stays.
 */
export function pinnedMac(rows: DatabaseRows, { kind, bridge, mac }: OverlayGateway): readonly RowChange[] {
  const row = kind === 'shared' ? indexRows(rows).named('Bridge', bridge) : null;
  if (row === null || 'hwaddr' in mapOf(row, 'other_config')) return [];
  const columns = [{ column: 'other_config', put: { hwaddr: mac } }];
  const why = 'the gateway answers with its MAC, which must not change with the ports that it gets';
  return [{ do: 'update', table: 'Bridge', title: bridge, uuid: row._uuid, columns, why }];
}
