import type { OverlayNode } from '../../model/overlay.ts';
import { type OverlayPort, type PortHost, portKey } from '../../model/overlay-port.ts';
import { is, keys } from '../rows/column-changes.ts';
import type { DesiredRows, PlannedRow } from '../rows/desired-rows.ts';
import { logicalPortOf, trunkOf } from './node-interfaces.ts';

/**
 * Plans the logical ports for the hosts behind a node's interfaces. Each port has port security: OVN drops packets with
 * a MAC or an address that no host of the port has (ovn-nb(5), Logical_Switch_Port, port_security). The row of the port
 * has an object key like that of a pod, so that the planner of network policies adds the port to the port groups of
 * policies. If `isHeld` is true, a new port is disabled until this planner has done so (agent/workload/pods/pods.ts).
 */
export function addPorts(desired: DesiredRows, node: OverlayNode, nodeSwitch: PlannedRow, isHeld: boolean): void {
  const { ports = [] } = node;
  const trunks = new Set(ports.flatMap(({ vlan, interface: name }) => (vlan === null ? [] : [name])));
  for (const name of trunks) {
    const title = trunkOf(name, node.name);
    desired.add({
      table: 'Logical_Switch_Port',
      title,
      existing: desired.existing.named('Logical_Switch_Port', title),
      columns: {
        name: is(title),
        // All hosts behind this interface are in VLANs, so the port for untagged packets is disabled. Its state does
        // not affect the ports that are nested in it.
        enabled: is([false]),
        options: keys({ 'requested-chassis': node.systemId }),
      },
      place: { row: nodeSwitch, column: 'ports' },
      node: node.name,
      why: `ports for VLANs of ${name} on ${node.name} are nested in it`,
    });
  }
  for (const port of ports) addPort(desired, node, port, nodeSwitch, isHeld);
}

function addPort(
  desired: DesiredRows,
  { name: node, systemId }: OverlayNode,
  port: OverlayPort,
  nodeSwitch: PlannedRow,
  isHeld: boolean,
): void {
  const title = logicalPortOf(port);
  const existing = desired.existing.named('Logical_Switch_Port', title);
  const places = port.hosts.map(placeOf);
  desired.add({
    table: 'Logical_Switch_Port',
    title,
    existing,
    columns: {
      name: is(title),
      addresses: is(places),
      port_security: is(places),
      parent_name: is(port.vlan === null ? [] : [trunkOf(port.interface, node)]),
      tag_request: is(port.vlan === null ? [] : [port.vlan]),
      options: keys({ 'requested-chassis': systemId }),
      external_ids: keys({ namespace: port.namespace }),
      ...(existing === null && isHeld && { enabled: is([false]) }),
    },
    place: { row: nodeSwitch, column: 'ports' },
    node,
    objectKey: `pod:${portKey(port)}`,
    why: `${port.interface} of ${node} leads to the hosts of ${port.name}`,
  });
}

/** Returns a host's MAC and addresses in the notation of `addresses` and `port_security` (ovn-nb(5)). */
function placeOf({ mac, addresses }: PortHost): string {
  return [mac, ...addresses].join(' ');
}
