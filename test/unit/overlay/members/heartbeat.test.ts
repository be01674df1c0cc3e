import t from 'tap';
import type { OverlayNode } from '../../../../agent/model/overlay.ts';
import type { DatabaseRows } from '../../../../agent/model/rows.ts';
import { echoOf, judgeGateways, nextRound } from '../../../../agent/overlay/members/heartbeat.ts';
import { gatewayOf, nodeOf } from '../cluster.ts';

/**
 * Returns rows of OVN_Southbound: the last requested number, and the number that each chassis has answered; null for a
 * release without Chassis_Private.
 */
function southbound(asked: number, answers: Readonly<Record<number, number>> | null): DatabaseRows {
  const answered = Object.entries(answers ?? {}).map(([id, number]) => ({
    _uuid: `answer ${id}`,
    name: nodeOf(Number(id)).systemId,
    nb_cfg: number,
    nb_cfg_timestamp: number * 1000,
  }));
  const global = [{ _uuid: 'global', nb_cfg: asked }];
  const tables = { SB_Global: global, ...(answers !== null && { Chassis_Private: answered }) };
  return { database: 'OVN_Southbound', shape: {}, tables };
}

const members = [1, 2, 3].map((id) => nodeOf(id, id === 3 ? {} : { gateway: gatewayOf(id) }));
const down = (judged: readonly OverlayNode[]): readonly string[] =>
  judged.filter(({ gateway }) => gateway?.isUp === false).map(({ name }) => name);

t.test('a gateway that has not answered for two rounds is down', (t) => {
  const seen = [7, 6, 5];
  t.strictSame(down(judgeGateways(members, seen, southbound(7, { 1: 7, 2: 4 }))), ['n2']);
  t.strictSame(down(judgeGateways(members, seen, southbound(7, { 1: 7, 2: 5 }))), [], 'a slow gateway is not down');
  t.strictSame(
    down(judgeGateways(members, seen, southbound(7, { 1: 7 }))),
    ['n2'],
    'a gateway that is not registered any more is down',
  );
  t.strictSame(
    down(judgeGateways(members, seen, southbound(7, { 1: 7, 2: 9, 3: 0 }))),
    [],
    'a node without a gateway is not judged',
  );
  t.end();
});

t.test('if no gateway answers, none is excluded', (t) => {
  t.strictSame(down(judgeGateways(members, [7, 6, 5], southbound(7, { 1: 2, 2: 3 }))), []);
  t.strictSame(
    down(judgeGateways(members, [7, 6], southbound(7, { 1: 7, 2: 0 }))),
    [],
    'no gateway is down before three rounds',
  );
  t.strictSame(
    down(judgeGateways(members, [7, 6, 5], southbound(7, null))),
    [],
    'no gateway is down with OVN before 20.09',
  );
  t.end();
});

t.test('the last answer of a chassis', (t) => {
  const { systemId } = nodeOf(2);
  t.strictSame(echoOf(systemId, 7, southbound(7, { 2: 7 })), { isCurrent: true, atMs: 7000 });
  t.strictSame(
    echoOf(systemId, 7, southbound(8, { 2: 7 })),
    { isCurrent: true, atMs: 7000 },
    'a round of another program does not make the answer old',
  );
  t.strictSame(echoOf(systemId, 7, southbound(7, { 2: 4 })), { isCurrent: false, atMs: 4000 });
  t.strictSame(
    echoOf(systemId, 7, southbound(7, { 2: 0 })),
    { isCurrent: false, atMs: null },
    'a chassis that has never answered has no time',
  );
  t.equal(echoOf(systemId, 7, southbound(7, { 1: 7 })), null, 'a chassis that is not registered has no answer');
  t.equal(echoOf(systemId, 7, southbound(7, null)), null);
  t.end();
});

t.test('three rounds are remembered', (t) => {
  t.strictSame(nextRound([], southbound(4, {})), [4]);
  t.strictSame(nextRound([6, 5, 4], southbound(7, {})), [7, 6, 5]);
  t.strictSame(
    nextRound([6, 6, 5], southbound(6, {})),
    [6, 6, 6],
    'while ovn-northd hangs, the previous value is repeated',
  );
  t.strictSame(nextRound([60, 59, 58], southbound(1, {})), [1], 'a new database starts again at one');
  t.end();
});
