// The containers of ovn-kubernetes on one node with IPv4 and IPv6, whose br-ex contains the NIC.
import t from 'tap';
import { liveOnOneNode } from './one-node.ts';
import { clusterSkip, ovnkubeSkip } from './ovnkube-skip.ts';

t.test('dual-stack', { skip: clusterSkip || ovnkubeSkip }, (t) =>
  liveOnOneNode(t, { ovnYaml: 'ovs:\n  datapathType: netdev\n', isDualStack: true }),
);
