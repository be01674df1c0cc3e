import type { AttachedInterface } from '../../model/overlay-port.ts';
import type { DatabaseRow } from '../../model/rows.ts';
import { keys } from '../rows/column-changes.ts';
import type { DesiredRows, PlannedRow } from '../rows/desired-rows.ts';
import { mapOf } from '../rows/row-index.ts';
import { tagKeys } from '../rows/tag-keys.ts';
import { isOwnedBy } from '../rows/tags.ts';
import { addPort, keepPort } from './bridge-rows.ts';

/**
 * Plans the ports of br-int for the interfaces of overlay ports. `attached` is null if these interfaces are not known,
 * for example while the central node does not answer. In this case, the present ports stay.
 */
export function addAttached(
  desired: DesiredRows,
  bridge: PlannedRow,
  attached: readonly AttachedInterface[] | null,
  owner: string,
): void {
  if (attached === null)
    for (const row of desired.existing.all('Port').filter((one) => isAttached(one, owner))) keepPort(desired, row);
  for (const { interface: name, logicalPort } of attached ?? []) {
    const ofInterface = { external_ids: keys({ 'iface-id': logicalPort }) };
    addPort(desired, bridge, name, ofInterface, { external_ids: keys({ [tagKeys.attached]: 'yes' }) });
  }
}

/** Returns true for a port of br-int that this product has made for an overlay port. */
export function isAttached(port: DatabaseRow, owner: string): boolean {
  return isOwnedBy(port, owner) && tagKeys.attached in mapOf(port, 'external_ids');
}
