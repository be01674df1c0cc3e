import t from 'tap';
import { answeredSinceMove } from '../../../../agent/overlay/gateway/answered-since.ts';
import { gatewayOf, nodeOf } from '../cluster.ts';

t.test('gateways that have answered since the central node took over', (t) => {
  const gateways = [1, 2, 3].map((id) => nodeOf(id, { gateway: gatewayOf(id) }));
  const rowOf = (id: number, asked?: string) => ({
    _uuid: `row ${id}`,
    chassis_name: nodeOf(id).systemId,
    external_ids: { owner: 'microshift-net', ...(asked !== undefined && { 'owner-asked-at-move': asked }) },
  });
  const northbound = (asked?: string) => ({
    database: 'OVN_Northbound',
    shape: {},
    tables: { Gateway_Chassis: [rowOf(1, asked), rowOf(2)] },
  });
  const southbound = (...answers: readonly number[]) => ({
    database: 'OVN_Southbound',
    shape: {},
    tables: {
      Chassis_Private: answers.map((number, index) => ({
        _uuid: `answer ${index}`,
        name: nodeOf(index + 1).systemId,
        nb_cfg: number,
      })),
    },
  });
  t.strictSame(answeredSinceMove(gateways, northbound('7'), southbound(9, 8, 7)), ['n2']);
  t.strictSame(answeredSinceMove(gateways, northbound('7'), southbound(9)), [], 'n2 and n3 are not registered');
  t.strictSame(
    answeredSinceMove(gateways, northbound(), southbound(9, 8, 7)),
    [],
    'the central node took over nothing',
  );
  const none = { database: 'OVN_Southbound', shape: {}, tables: {} };
  t.strictSame(answeredSinceMove(gateways, northbound('7'), none), [], 'OVN before 20.09 reports no answers');
  t.end();
});
