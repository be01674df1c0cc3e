// Crash of a node's programs, and their start as after a reboot.
import { readFileSync } from 'node:fs';
import { type Host, startCentral, startController, startVswitchd } from './hosts.ts';

const dropIn = 'systemd/ovs-vswitchd.service.d/microshift-net-flow-restore-wait.conf';

/** PID files of Open vSwitch and ovn-controller, in the folders of both releases of OVN. */
const ofNode = [
  '/run/openvswitch/ovs-vswitchd.pid',
  '/run/ovn/ovn-controller.pid',
  '/run/openvswitch/ovn-controller.pid',
];
/** PID files of ovn-northd and of the servers of both databases. */
const ofCentral = ['/run/ovn/ovn-northd.pid', '/run/ovn/ovnnb_db.pid', '/run/ovn/ovnsb_db.pid'];

/** Ends Open vSwitch and ovn-controller of a node without a chance to clean up. */
export function crash(host: Host): void {
  kill(host, ofNode);
}

/** Ends the same programs of the central node, with ovn-northd and the databases, as a power loss does. */
export function crashCentral(host: Host): void {
  kill(host, [...ofNode, ...ofCentral]);
}

/** Starts Open vSwitch and ovn-controller after a crash, as their units do. */
export function startAgain(host: Host): void {
  // The drop-in runs before ovs-vswitchd starts (systemd.service(5), ExecStartPre; `$$` is `$`).
  const [, before = ''] = /^ExecStartPre=-\/bin\/sh -c '(.*)'$/m.exec(readFileSync(dropIn, 'utf8')) ?? [];
  host.must('sh', '-c', before.replaceAll('$$', '$'));
  startVswitchd(host);
  startController(host);
}

/** Starts the programs of a crashed central node, as their units do. */
export function startCentralAgain(host: Host): void {
  startCentral(host);
  startAgain(host);
}

function kill(host: Host, files: readonly string[]): void {
  host.must('sh', '-c', 'kill -9 $(cat "$@" 2>/dev/null)', 'sh', ...files);
}
