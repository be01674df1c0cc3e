import type { OverlayNode } from '../../model/overlay.ts';
import { type AttachedInterface, type OverlayPort, portKey } from '../../model/overlay-port.ts';

/**
 * Returns the name of the logical port of an overlay port. Like the name of a pod's port, it consists of the namespace
 * and the name.
 */
export function logicalPortOf(port: OverlayPort): string {
  return portKey(port).replace('/', '_');
}

/**
 * Returns the name of the logical port of an interface whose hosts are in VLANs. The logical ports of the VLANs are
 * nested in it (ovn-nb(5), Logical_Switch_Port, parent_name). No other port has this name: it contains a colon, and the
 * names of namespaces and pods do not.
 */
export function trunkOf(name: string, node: string): string {
  return `trunk:${name}@${node}`;
}

/** Returns the interfaces of a node that its ports need, each once, with the logical port to which each is bound. */
export function attachedInterfaces(ports: readonly OverlayPort[], node: string): readonly AttachedInterface[] {
  const found = new Map<string, string>();
  for (const port of ports)
    if (port.node === node)
      found.set(port.interface, port.vlan === null ? logicalPortOf(port) : trunkOf(port.interface, node));
  return Array.from(found, ([name, logicalPort]) => ({ interface: name, logicalPort }));
}

/** Returns the nodes with their overlay ports. A node without ports is returned unchanged. */
export function withPorts(nodes: readonly OverlayNode[], ports: readonly OverlayPort[] = []): readonly OverlayNode[] {
  return nodes.map((node) => {
    const own = ports.filter((port) => port.node === node.name);
    return own.length === 0 ? node : { ...node, ports: own };
  });
}
