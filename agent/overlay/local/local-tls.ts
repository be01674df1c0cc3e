import { AgentError } from '../../errors.ts';
import type { OverlayTls } from '../../model/overlay.ts';
import type { DatabaseRows, RowChange } from '../../model/rows.ts';
import { indexRows, textOf } from '../rows/row-index.ts';
import { tagKeys } from '../rows/tag-keys.ts';
import { isOwnedBy } from '../rows/tags.ts';

/**
 * Plans the row of SSL in Open_vSwitch by which ovn-controller uses TLS (ovn-controller(8), "--private-key"); if `tls`
 * is null, removes this product's row. Refuses to replace the row of another program.
 */
export function planLocalTls(rows: DatabaseRows, tls: OverlayTls | null, owner: string): readonly RowChange[] {
  const existing = indexRows(rows);
  const [root] = existing.all('Open_vSwitch');
  const [row] = existing.all('SSL');
  if (root === undefined) return [];
  const place = { table: 'Open_vSwitch', row: root._uuid, column: 'ssl' };
  if (tls === null) {
    if (row === undefined || !isOwnedBy(row, owner)) return [];
    const why = 'this node does not connect with TLS any more';
    return [{ do: 'delete', table: 'SSL', title: 'certificates', uuid: row._uuid, place, why }];
  }
  const files = { private_key: tls.privateKey, certificate: tls.certificate, ca_cert: tls.caCertificate };
  const other = Object.entries(files).filter(([column, file]) => textOf(row ?? null, column) !== file);
  if (other.length === 0) return [];
  if (row !== undefined && !isOwnedBy(row, owner)) {
    throw new AgentError(
      'overlay-conflict',
      `Open vSwitch uses the key ${textOf(row, 'private_key')}, which is not that of the overlay`,
      {
        hint: 'stop the program that needs this key, then remove it: ovs-vsctl get-ssl shows it, ovs-vsctl del-ssl removes it',
      },
    );
  }
  const why = 'ovn-controller presents this certificate to the central node';
  if (row !== undefined) {
    const columns = other.map(([column, file]) => ({ column, replace: file, before: row[column] ?? '' }));
    return [{ do: 'update', table: 'SSL', title: 'certificates', uuid: row._uuid, columns, why }];
  }
  const columns = { ...files, external_ids: { [tagKeys.owner]: owner } };
  return [{ do: 'insert', table: 'SSL', title: 'certificates', name: 'local_tls', row: columns, place, why }];
}
