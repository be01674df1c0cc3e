// br-ex with the node's NIC in it, and addresses of both families everywhere.
import t from 'tap';
import { liveOnOneNode } from './one-node.ts';
import { clusterSkip, ovnkubeSkip } from './ovnkube-skip.ts';

t.test('dual-stack', { skip: clusterSkip || ovnkubeSkip }, (t) =>
  liveOnOneNode(t, { ovnYaml: 'ovs:\n  datapathType: netdev\n', isDualStack: true }),
);
