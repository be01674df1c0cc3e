import type { OverlayNode } from '../../model/overlay.ts';
import type { DatabaseRows } from '../../model/rows.ts';
import { answersOf } from '../members/heartbeat.ts';
import { indexRows, mapOf, textOf } from '../rows/row-index.ts';
import { tagKeys } from '../rows/tag-keys.ts';

/**
 * Returns the names of the gateways that have answered since the central node took over a shared address: the value of
 * nb_cfg that their ovn-controller has applied is later than the value in the mark of the central node's row of
 * Gateway_Chassis. Empty if the central node has taken over no address.
 */
export function answeredSinceMove(
  gateways: readonly OverlayNode[],
  northbound: DatabaseRows,
  southbound: DatabaseRows,
): readonly string[] {
  const moves = indexRows(northbound)
    .all('Gateway_Chassis')
    .flatMap((row) => {
      const asked = mapOf(row, 'external_ids')[tagKeys.askedAtMove];
      return asked === undefined ? [] : [{ asked: Number(asked), central: textOf(row, 'chassis_name') }];
    });
  const answers = answersOf(southbound);
  return gateways
    .filter(({ systemId }) =>
      moves.some(({ asked, central }) => systemId !== central && (answers?.get(systemId) ?? 0) > asked),
    )
    .map(({ name }) => name);
}
