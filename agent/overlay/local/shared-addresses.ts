import type { SharedAddresses } from '../../model/overlay.ts';
import type { DatabaseRow, DatabaseRows } from '../../model/rows.ts';
import { answersOf } from '../members/heartbeat.ts';
import { indexRows, listOf, textOf } from '../rows/row-index.ts';
import { unconfirmedChassis, unreachedChassis } from './tunnels.ts';

/**
 * Prefix of the name of a distributed gateway's chassisredirect port; the rest is the name of the router port
 * (ovn-northd).
 */
const redirectPrefix = 'cr-';

/**
 * Returns the chassis that has each shared address at present, by the name of the address's port on the cluster's
 * router. Also returns the chassis that no working tunnel of the central node reaches.
 */
export function sharedAddressesOf(
  redirects: readonly DatabaseRow[],
  southbound: DatabaseRows,
  local: DatabaseRows,
): SharedAddresses {
  const names = new Map(
    indexRows(southbound)
      .all('Chassis')
      .map((row) => [row._uuid, textOf(row, 'name')]),
  );
  const holders = redirects.flatMap((row) => {
    const holder = names.get(String(listOf(row, 'chassis')[0]));
    return holder === undefined ? [] : [[textOf(row, 'logical_port').slice(redirectPrefix.length), holder] as const];
  });
  const answers = answersOf(southbound);
  return {
    holders: Object.fromEntries(holders),
    unreached: unreachedChassis(local),
    unconfirmed: unconfirmedChassis(local),
    ...(answers !== null && { answers: Object.fromEntries(answers) }),
  };
}
