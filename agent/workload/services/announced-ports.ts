import type { OverlayNode } from '../../model/overlay.ts';
import { gatewayNames } from '../../overlay/overlay-names.ts';
import { keys } from '../../overlay/rows/column-changes.ts';
import type { DesiredRows } from '../../overlay/rows/desired-rows.ts';
import { mapOf } from '../../overlay/rows/row-index.ts';
import { announcedKey, announcedText } from '../../overlay/services/announced-here.ts';

/**
 * Plans, for each gateway, the list of the service addresses that the gateway's node announces to the LAN. The list is
 * in the row of the port from the gateway's outside switch to its router.
 */
export function addAnnounced(
  desired: DesiredRows,
  nodes: readonly OverlayNode[],
  announcers: ReadonlyMap<string, string>,
): void {
  for (const { name, gateway } of nodes) {
    const { onSwitch } = gatewayNames(name);
    const existing = desired.existing.named('Logical_Switch_Port', onSwitch);
    if (gateway === null || existing === null) continue;
    const addresses = [...announcers].flatMap(([address, announcer]) => (announcer === name ? [address] : []));
    if (addresses.length === 0 && !(announcedKey in mapOf(existing, 'external_ids'))) continue;
    desired.add({
      table: 'Logical_Switch_Port',
      title: onSwitch,
      existing,
      columns: {
        external_ids:
          addresses.length > 0
            ? keys({ [announcedKey]: announcedText(addresses) })
            : { keys: {}, without: [announcedKey] },
      },
      isShared: true,
      why: `${name} announces these addresses to its LAN`,
    });
  }
}
