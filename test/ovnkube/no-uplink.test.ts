// The containers of ovn-kubernetes on a node whose br-ex has no NIC, as MicroShift makes it. The tests need a real
// ovnkube, because classic.test.ts already tests all other containers.
import t from 'tap';
import { microshiftStandInFile } from '../node/microshift-file-table.ts';
import { liveOnOneNode } from './one-node.ts';
import { clusterSkip, ovnkubeSkip } from './ovnkube-skip.ts';

const options = { skip: clusterSkip || ovnkubeSkip };
const ovnYaml = 'uplink: none\novs:\n  datapathType: netdev\n';

t.test('no-uplink', options, (t) => liveOnOneNode(t, { ovnYaml }));

const script = '/usr/bin/configure-ovs.sh';
/**
 * Files of a node with MicroShift's script, and with a unit that adds the address of the API server to br-ex, like
 * MicroShift (openshift/microshift, pkg/node/netconfig.go).
 */
const microshift = {
  [script]: microshiftStandInFile(script),
  '/etc/systemd/system/microshift-stand-in.service':
    '[Unit]\nAfter=microshift-ovs-init.service\n[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/ip address replace 10.44.0.0/32 dev br-ex\n',
  '/etc/systemd/system/multi-user.target.d/microshift.conf': '[Unit]\nWants=microshift-stand-in.service\n',
};

t.test("no-uplink, with MicroShift's address", options, (t) => liveOnOneNode(t, { ovnYaml, files: microshift }));
