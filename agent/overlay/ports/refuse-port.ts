import { AgentError } from '../../errors.ts';
import type { OverlayNode } from '../../model/overlay.ts';
import { mostPorts, type OverlayPort, type PortRequest } from '../../model/overlay-port.ts';

/** Facts about the cluster that is to get a port. */
export interface PortFacts {
  readonly members: readonly OverlayNode[];
  /** Ports that the cluster has. */
  readonly ports: readonly OverlayPort[];
  /** MACs that ports on the switch of the node already have, each with the name of its port. */
  readonly macs: ReadonlyMap<string, string>;
}

/**
 * Returns the node of a requested port. Fails with `overlay-conflict` if the cluster cannot have the port, for one of
 * these reasons: its name, its interface or a MAC is in use; a MAC is requested twice, is not that of one host, or
 * could be derived from an address; its node is unknown or has no subnet; the cluster has the largest number of ports.
 */
export function refusePort(request: PortRequest, { members, ports, macs }: PortFacts): OverlayNode {
  const { name, node } = request;
  if (ports.some((port) => port.name === name))
    throw conflict(
      `the cluster has a port ${name} already, with other values`,
      `remove it first (microshift-net overlay port remove ${name}), or choose another name`,
    );
  if (ports.length >= mostPorts)
    throw conflict(
      `the cluster has ${ports.length} ports, and more than ${mostPorts} are not served`,
      'remove one with: microshift-net overlay port remove NAME',
    );
  const member = members.find((one) => one.name === node);
  if (member === undefined)
    throw conflict(
      `${node} is not a node of this cluster`,
      `write one of: ${members.map((one) => one.name).join(', ')}`,
    );
  if (member.subnets.length === 0)
    throw conflict(`${node} has no subnet from which hosts could get an address`, 'choose a node with pods');
  refuseSharing(request, ports);
  for (const mac of request.macs) refuseMac(mac, request, macs);
  return member;
}

/**
 * Refuses an interface that another port has, unless each of the ports has a VLAN of its own. The logical ports of
 * VLANs are nested in one logical port, which gets the untagged packets of the interface. A port without a VLAN would
 * need these packets, so it cannot share the interface.
 */
function refuseSharing({ node, interface: name, vlan }: PortRequest, ports: readonly OverlayPort[]): void {
  const others = ports.filter((port) => port.node === node && port.interface === name);
  const [first] = others;
  if (first !== undefined && (vlan === null || first.vlan === null))
    throw conflict(
      `${name} of ${node} has the port ${first.name}${first.vlan === null ? '' : ` in VLAN ${first.vlan}`}`,
      'an interface has either one port without --vlan, or ports that each have another VLAN',
    );
  const same = others.find((port) => port.vlan === vlan);
  if (same === undefined) return;
  throw conflict(
    `VLAN ${vlan} of ${name} on ${node} has the port ${same.name}`,
    'remove that port, and add one with all hosts of the VLAN: write --mac once with all of their MACs',
  );
}

/** Pattern of a MAC that this product derives from an address (addresses.ts, macOf). */
const derivedMac = /^0a:58:/;

function refuseMac(mac: string, { macs: all, node }: PortRequest, macs: ReadonlyMap<string, string>): void {
  if (!/^[0-9a-f][02468ace]/.test(mac) || mac === '00:00:00:00:00:00')
    throw conflict(`${mac} is not the MAC of one host`, 'write the MAC that the host itself uses');
  if (derivedMac.test(mac))
    throw conflict(
      `${mac} follows from an address, and a pod or a host can get this address`,
      'write another MAC, or omit --mac to give the host the MAC of its address',
    );
  if (all.filter((one) => one === mac).length > 1) throw conflict(`${mac} is there twice`, 'write each MAC once');
  const holder = macs.get(mac);
  if (holder !== undefined) throw conflict(`${mac} is the MAC of ${holder} on ${node}`, 'give the host another MAC');
}

function conflict(message: string, hint: string): AgentError {
  return new AgentError('overlay-conflict', message, { hint });
}
