// br-ex with the node's NIC in it, and addresses of both families everywhere.
import t from 'tap';
import { clusterSkip, ovnkubeSkip } from './availability.ts';
import { liveOnOneNode } from './one-node.ts';

t.test('dual-stack', { skip: clusterSkip || ovnkubeSkip }, (t) =>
  liveOnOneNode(t, { ovnYaml: 'ovs:\n  datapathType: netdev\n', isDualStack: true }),
);
