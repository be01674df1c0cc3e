import type { OverlayNode } from '../model/overlay.ts';
import type { ChassisEcho } from '../model/overlay-plan.ts';
import type { DatabaseRows } from '../model/rows.ts';
import { indexRows, textOf } from './existing.ts';

/** How many rounds of questions are remembered: with one every 5 s, the oldest was asked 10 s ago. */
const rounds = 3;

/** The numbers of SB_Global.nb_cfg (ovn-sb(5)) as they were seen at the last rounds, newest first, with the one of now. */
export function nextRound(seen: readonly number[], rows: DatabaseRows): readonly number[] {
  const number = Number(textOf(indexRows(rows).all('SB_Global')[0] ?? null, 'nb_cfg'));
  // It counts from the beginning in a database that was made anew.
  return [number, ...seen.filter((one) => one <= number)].slice(0, rounds);
}

/**
 * The members, each gateway up or down: down is one that owes an answer since the oldest of three rounds, or whose chassis has unregistered. Each
 * ovn-controller writes the last number it has carried out into its row of Chassis_Private (ovn-sb(5)). Where not a single gateway answers, it is who
 * asks that is cut off, and none counts as down. Numbers are compared and no clocks, which differ from node to node.
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

/** The last answer of a chassis (ovn-sb(5), Chassis_Private), which was asked for this number; null: it is not registered. */
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
  // Before OVN 20.09 nobody answers.
  if (due === undefined || !('Chassis_Private' in rows.tables)) return [];
  const answers = new Map(
    indexRows(rows)
      .all('Chassis_Private')
      .map((row) => [textOf(row, 'name'), Number(textOf(row, 'nb_cfg'))]),
  );
  const silent = gateways.map(({ systemId }) => systemId).filter((systemId) => (answers.get(systemId) ?? -1) < due);
  return silent.length === gateways.length ? [] : silent;
}

/** The members that have a gateway. */
export function gatewaysOf(members: readonly OverlayNode[]): readonly OverlayNode[] {
  return members.filter(({ gateway }) => gateway !== null);
}
