// br-ex with the node's NIC in it.
import t from 'tap';
import { clusterSkip } from './availability.ts';
import { liveOnOneNode } from './one-node.ts';

t.test('classic', { skip: clusterSkip }, (t) => liveOnOneNode(t, { ovnYaml: 'ovs:\n  datapathType: netdev\n' }));
