import type { OverlayNode } from '../../model/overlay.ts';
import type { ChassisEcho } from '../../model/overlay-plan.ts';
import type { DatabaseRows } from '../../model/rows.ts';
import { indexRows, textOf } from '../rows/row-index.ts';

/**
 * Number of rounds whose values of SB_Global.nb_cfg are remembered. A round takes place every 5 s. It reads the value
 * that the previous round requested, and requests the next one. The oldest of three values was therefore read 10 s ago
 * and requested 15 s ago.
 */
const rounds = 3;

/**
 * Returns the values of SB_Global.nb_cfg (ovn-sb(5)) that the central node has read in its last rounds, newest first:
 * the present value, and the values `seen`, which earlier rounds have read. In each round, every 5 s, the central node
 * also requests the next value.
 */
export function nextRound(seen: readonly number[], rows: DatabaseRows): readonly number[] {
  const number = Number(textOf(indexRows(rows).all('SB_Global')[0] ?? null, 'nb_cfg'));
  // An earlier value that is larger than the present one is dropped: it was read before the database was created again.
  // In a new database, nb_cfg begins at zero.
  return [number, ...seen.filter((one) => one <= number)].slice(0, rounds);
}

/**
 * Returns the members with their gateways marked up or down. In each round, every 5 s, the central node reads
 * SB_Global.nb_cfg and requests the next value of it; `seen` has the values that the last three rounds read. Each
 * ovn-controller applies the configuration that belongs to a value, and then writes this value into its row of
 * Chassis_Private (ovn-sb(5)). A gateway is down if its chassis is not registered, or has not reached the oldest value
 * in `seen`. Until three values have been read, every gateway counts as up. If no gateway answers, every gateway counts
 * as up as well: the fault is taken to be on the central node. Values are compared rather than times, because clocks
 * differ between nodes.
 */
export function judgeGateways(
  members: readonly OverlayNode[],
  seen: readonly number[],
  rows: DatabaseRows,
): readonly OverlayNode[] {
  const silent = silentChassis(gatewaysOf(members), seen, rows);
  return members.map((member) =>
    member.gateway === null
      ? member
      : { ...member, gateway: { ...member.gateway, isUp: !silent.includes(member.systemId) } },
  );
}

/**
 * Returns the last answer of a chassis to the central node's requests (ovn-sb(5), Chassis_Private), and whether the
 * chassis has reached the requested value `asked` of nb_cfg; null if the chassis is not registered.
 */
export function echoOf(systemId: string, asked: number, rows: DatabaseRows): ChassisEcho | null {
  const row = indexRows(rows)
    .all('Chassis_Private')
    .find((one) => textOf(one, 'name') === systemId);
  if (row === undefined) return null;
  const atMs = Number(textOf(row, 'nb_cfg_timestamp'));
  return { isCurrent: Number(textOf(row, 'nb_cfg')) >= asked, atMs: atMs > 0 ? atMs : null };
}

function silentChassis(
  gateways: readonly OverlayNode[],
  seen: readonly number[],
  rows: DatabaseRows,
): readonly string[] {
  const due = seen.length < rounds ? undefined : seen.at(-1);
  const answers = answersOf(rows);
  if (due === undefined || answers === null) return [];
  const silent = gateways.map(({ systemId }) => systemId).filter((systemId) => (answers.get(systemId) ?? -1) < due);
  return silent.length === gateways.length ? [] : silent;
}

/**
 * Returns the last value of nb_cfg that the ovn-controller of each chassis has applied, by system-id; null with OVN
 * before 20.09, which has no Chassis_Private.
 */
export function answersOf(rows: DatabaseRows): ReadonlyMap<string, number> | null {
  if (!('Chassis_Private' in rows.tables)) return null;
  const answers = indexRows(rows).all('Chassis_Private');
  return new Map(answers.map((row) => [textOf(row, 'name'), Number(textOf(row, 'nb_cfg'))]));
}

/** Returns the members that have a gateway. */
export function gatewaysOf(members: readonly OverlayNode[]): readonly OverlayNode[] {
  return members.filter(({ gateway }) => gateway !== null);
}
