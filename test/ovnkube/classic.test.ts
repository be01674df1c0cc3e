// br-ex with the node's NIC in it.
import t from 'tap';
import { clusterSkip } from './availability.ts';
import { liveOnOneNode } from './one-node.ts';

t.setTimeout(850_000);

t.test('classic', { skip: clusterSkip, timeout: 840_000 }, (t) =>
  liveOnOneNode(t, { ovnYaml: 'ovs:\n  datapathType: netdev\n' }),
);
