import {
  type AttachedInterface,
  isInterfaceName,
  isPortName,
  mostHosts,
  mostPorts,
  type OverlayPort,
} from '../../model/overlay-port.ts';
import { familyOf } from '../../net/address.ts';
import { attachedInterfaces } from './node-interfaces.ts';

/**
 * Key of SB_Global.external_ids in which the central node publishes the interfaces that members attach to br-int, by
 * node. OVN's role for nodes does not let members write it (ovn-sb(5), RBAC_Role).
 */
export const portsKey = 'microshift-net-ports';

/** Returns the entries of SB_Global.external_ids that publish the interfaces of the ports; no entries without ports. */
export function publishedPorts(ports: readonly OverlayPort[]): Readonly<Record<string, string>> {
  if (ports.length === 0) return {};
  const nodes = [...new Set(ports.map(({ node }) => node))];
  return {
    [portsKey]: JSON.stringify(Object.fromEntries(nodes.map((node) => [node, attachedInterfaces(ports, node)]))),
  };
}

/**
 * Reads the interfaces that a node has to attach from SB_Global.external_ids. Text in another form counts as no
 * interfaces, so that no interface is attached because of it.
 */
export function interfacesIn(ids: Readonly<Record<string, string>>, node: string): readonly AttachedInterface[] {
  try {
    const found: unknown = Object(JSON.parse(ids[portsKey] ?? '{}'))[node] ?? [];
    return areInterfaces(found) ? found : [];
  } catch {
    return [];
  }
}

function areInterfaces(value: unknown): value is readonly AttachedInterface[] {
  return (
    Array.isArray(value) &&
    value.length <= mostPorts &&
    value.every((one) => {
      const { interface: name, logicalPort } = Object(one) as Partial<Record<keyof AttachedInterface, unknown>>;
      return isText(name, isInterfaceName) && isText(logicalPort, (text) => /^[\w:.@-]{1,200}$/.test(text));
    })
  );
}

/** Returns true for a list of ports in the form in which this product writes it. */
export function arePorts(value: unknown): value is readonly OverlayPort[] {
  return Array.isArray(value) && value.length <= mostPorts && value.every(isPort);
}

function isPort(value: unknown): boolean {
  const port = Object(value) as Partial<Record<keyof OverlayPort, unknown>>;
  const { vlan, labels, hosts } = port;
  return (
    isText(port.name, isPortName) &&
    isText(port.node, () => true) &&
    isText(port.interface, isInterfaceName) &&
    (vlan === null || (Number.isInteger(vlan) && Number(vlan) >= 1 && Number(vlan) <= 4094)) &&
    isText(port.namespace, isPortName) &&
    typeof labels === 'object' &&
    labels !== null &&
    Object.values(labels).every((label) => typeof label === 'string') &&
    Array.isArray(hosts) &&
    hosts.length >= 1 &&
    hosts.length <= mostHosts &&
    hosts.every(isPortHost)
  );
}

function isPortHost(value: unknown): boolean {
  const { mac, addresses } = Object(value) as { readonly mac?: unknown; readonly addresses?: unknown };
  return (
    isText(mac, (text) => /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(text)) &&
    Array.isArray(addresses) &&
    addresses.length <= 2 &&
    addresses.every((one) => isText(one, (text) => familyOf(text) !== null))
  );
}

function isText(value: unknown, is: (text: string) => boolean): boolean {
  return typeof value === 'string' && is(value);
}
