import t from 'tap';
import { assignNode, registeredNodes } from '../../../../agent/overlay/members/registry.ts';
import { applied, dual, dualNode, emptyNorthbound, gatewayOf, modern, nodeOf } from '../cluster.ts';

t.test('nodes are read back from their rows', (t) => {
  const database = emptyNorthbound();
  const gateway = gatewayOf(4);
  applied(database, { nodes: [nodeOf(2), nodeOf(4, { subnets: [], gateway })] });
  t.strictSame(registeredNodes(database.rows(), modern.owner), [
    { name: 'n2', id: 2, systemId: nodeOf(2).systemId, subnets: ['10.42.2.0/24'], gateway: null },
    {
      name: 'n4',
      id: 4,
      systemId: nodeOf(4).systemId,
      subnets: [],
      gateway: { joinAddresses: ['100.64.0.5/16'], addresses: ['192.0.2.14/24'] },
    },
  ]);
  t.end();
});

t.test('a node gets the lowest number and subnets that are free, and keeps those that it has', (t) => {
  const database = emptyNorthbound();
  applied(database, { layout: dual, nodes: [dualNode(1), dualNode(3)] });
  const registered = registeredNodes(database.rows(), dual.owner);
  t.strictSame(assignNode(dual, registered, 'new'), { id: 2, subnets: ['10.42.0.0/24', 'fd01::/64'] });
  t.strictSame(assignNode(dual, registered, 'n3'), { id: 3, subnets: ['10.42.3.0/24', 'fd01:0:0:3::/64'] });
  const full = Array.from({ length: 4 }, (_, index) => nodeOf(index, { subnets: [`10.9.${index}.0/24`] }));
  const small = { ...modern, clusterSubnets: ['10.9.0.0/22'] };
  const others = full.map((node) => ({ ...node, gateway: null }));
  t.throws(() => assignNode(small, others, 'new'), {
    kind: 'overlay-conflict',
    message: /no subnet of 10.9.0.0\/22 is free/,
  });
  t.strictSame(assignNode(small, others.slice(1), 'new'), { id: 4, subnets: ['10.9.0.0/24'] });
  t.end();
});
