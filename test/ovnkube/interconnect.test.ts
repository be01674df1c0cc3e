// One node of a cluster, in a separate zone: the flavour `interconnect`, whose containers reach the API server at the
// address of the control plane.
import t from 'tap';
import { liveOnOneNode } from './one-node.ts';
import { clusterSkip, ovnkubeSkip } from './ovnkube-skip.ts';

t.test('interconnect', { skip: clusterSkip || ovnkubeSkip }, (t) =>
  liveOnOneNode(t, {
    ovnYaml: 'ovs:\n  datapathType: netdev\n',
    options: '--flavor interconnect --control-plane 192.0.2.50',
  }),
);
