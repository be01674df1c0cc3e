// The containers of ovn-kubernetes on one node, whose br-ex contains the NIC.
import t from 'tap';
import { liveOnOneNode } from './one-node.ts';
import { clusterSkip } from './ovnkube-skip.ts';

t.test('classic', { skip: clusterSkip }, (t) => liveOnOneNode(t, { ovnYaml: 'ovs:\n  datapathType: netdev\n' }));
