import { AgentError } from '../../errors.ts';
import { isGuestLink, isWithoutProfile } from '../../model/bridge-devices.ts';
import { linkKindOf, traitsOf } from '../../model/link-kinds.ts';
import { bridgesOf } from '../../model/names.ts';
import { isLoopback, type Link, type Observation } from '../../model/observation.ts';
import { isDefault } from '../../net/destination.ts';
import { quotedName } from './choice-trace.ts';
import { misreadInName } from './misread-name.ts';

/** Value of ARPHRD_ETHER in linux/if_arp.h. A port of type `system` in Open vSwitch needs an Ethernet device. */
const ethernet = 1;
/** Value of NMDeviceType for a Linux bridge. */
const bridgeDevice = 13;

/**
 * Names of devices that belong to the kernel, Open vSwitch, a container engine, a hypervisor or ovn-kubernetes and are
 * never the node's uplink. The pattern matches whole names.
 */
const foreignNames =
  /^(lo|br-int|br-local|ovs-system|ovs-netdev|ovn-k8s-.*|podman\d+|docker\d+|virbr\d+|cni\d+|cni-podman\d+|flannel\.\d+|genev_sys_\d+|vxlan_sys_\d+)$/;

/** Returns the reason why a device cannot be an uplink, as the second half of a sentence ("it …"); null if it can. */
export function unsuitability(link: Link | undefined, observation: Observation): string | null {
  if (link === undefined) return 'no interface has this name';
  if (isLoopback(link)) return 'it is the loopback interface, which leads to no network';
  if (foreignNames.test(link.name)) return 'it belongs to a container engine, a hypervisor or ovn-kubernetes';
  const misread = misreadInName(link.name);
  if (misread !== null)
    return `its name has ${misread}, which programs take for something else; a .link file gives it another (systemd.link(5))`;
  const { unfit } = traitsOf(linkKindOf(link, observation));
  if (unfit !== null) return unfit;
  if (link.kind === 'tun' && link.hardwareType !== ethernet)
    return 'it is a tun device, which carries no Ethernet frames (a tap device does)';
  if (link.hardwareType !== ethernet) return 'it is not an Ethernet device, so Open vSwitch cannot carry it';
  if (link.kind !== 'tun' && isGuestLink(link.name, observation) && !isOnlyWayOut(link.name, observation))
    return 'it is a veth that NetworkManager does not manage, the end of a container cable';
  if (isForeignBridge(link.name, observation) && !isOnlyWayOut(link.name, observation))
    return 'it is a bridge without a NIC that NetworkManager does not manage, as container engines make them';
  const holder = otherBridge(link.name, observation);
  if (holder !== null) return `it is a port of ${holder}`;
  if (isOvsInternal(link.name, observation)) return 'it is an internal port of Open vSwitch';
  const master = masterOf(link);
  if (master === null) return null;
  return isVrf(master, observation)
    ? `it is in the VRF ${master}, whose routes are not those of the node`
    : `it is a port of ${master}`;
}

/** Returns the remedy for a link that cannot be an uplink, as an imperative sentence. */
export function suitabilityHint(link: Link | undefined, observation: Observation): string {
  const vrf = [link?.name, link?.master].find((name) => name != null && isVrf(name, observation));
  const others = 'name another interface; br-ex can also do without a NIC (`uplink: none`)';
  if (vrf == null) return others;
  const members = observation.links.filter(({ master }) => master === vrf).map(({ name }) => name);
  const out = members.map((name) => `take ${name} out of ${vrf} (its profile, without controller and port-type)`);
  return [...out, others].join(', or ');
}

/**
 * Returns the hint of an error as a text that lists the interfaces which can be an uplink. `first` is another remedy,
 * which the text names before the list; null if the list is the only remedy.
 */
export function usableNamesHint(observation: Observation, first: string | null = null): string {
  const ours = bridgesOf(observation).map(({ bridge }) => bridge);
  const usable = observation.links.filter(
    (link) => !ours.includes(link.name) && unsuitability(link, observation) === null,
  );
  return usable.length === 0
    ? `${first === null ? '' : `${first}; `}no interface of this node can be an uplink now: see \`ip link\``
    : `${first === null ? '' : `${first}, or `}use one of: ${usable.map(({ name }) => name).join(', ')}`;
}

/** Returns the links in a VRF, each with its VRF. */
export function vrfMembers(observation: Observation): readonly { readonly name: string; readonly vrf: string }[] {
  return observation.links.flatMap(({ name, master }) =>
    master !== null && isVrf(master, observation) ? [{ name, vrf: master }] : [],
  );
}

function isVrf(name: string, observation: Observation): boolean {
  return observation.links.some((entry) => entry.name === name && linkKindOf(entry, observation) === 'vrf');
}

/**
 * Checks that `bridge add` can add a NIC to a bridge of its own. Fails with `interface-not-found`; or with
 * `interface-unsuitable` if the NIC is in use elsewhere, or if Open vSwitch cannot add it.
 */
export function mustBeUsable(name: string, bridge: string, observation: Observation): void {
  const link = observation.links.find((entry) => entry.name === name);
  if (link === undefined) {
    const hint = usableNamesHint(observation);
    throw new AgentError('interface-not-found', `the interface ${quotedName(name)} does not exist`, { hint });
  }
  const holder = observation.ovs.bridges.find(
    (row) => row.name !== bridge && row.name !== name && row.ports.some((port) => port.name === name),
  );
  const master = holder?.name ?? masterOf(link);
  const reason = master === null ? unsuitability(link, observation) : `it is a port of ${master}`;
  if (reason === null) return;
  const hint = master === null ? 'name another interface' : `name another interface, or remove it from ${master} first`;
  throw new AgentError('interface-unsuitable', `${name} cannot be added to a bridge: ${reason}`, { hint });
}

/**
 * Returns the bond, team, Linux bridge or VRF of which a link is a port; null if the link is a port of none of these,
 * or only of Open vSwitch. The master has the addresses, and the kernel allows only one master.
 */
function masterOf({ master }: Link): string | null {
  return master === datapath ? null : master;
}

/** Name that the kernel shows as the master of every port of Open vSwitch. */
const datapath = 'ovs-system';

/**
 * Returns true for a Linux bridge that has no profile, and no ports except taps and veths of virtual machines and
 * containers.
 */
function isForeignBridge(name: string, observation: Observation): boolean {
  const ports = observation.links.filter((link) => link.master === name);
  return (
    isWithoutProfile(name, bridgeDevice, observation) && ports.every((link) => isGuestLink(link.name, observation))
  );
}

/**
 * Returns true if the node's default route uses this device and no other that could be an uplink. For a veth, or for a
 * bridge that NetworkManager does not manage, this means that the node itself is a container (Incus, LXC, kind) and
 * that the device is its NIC. A device in a bridge of the agent counts as well, because it was the NIC before.
 */
function isOnlyWayOut(name: string, observation: Observation): boolean {
  const { routes, ovs } = observation;
  const bridges = bridgesOf(observation);
  const isOurs = (bridge: string): boolean => bridges.some((names) => names.bridge === bridge);
  if (ovs.bridges.some((row) => isOurs(row.name) && row.ports.some((port) => port.name === name))) return true;
  const ways = routes.filter((route) => isDefault(route.destination) && !isOurs(route.device));
  const devices = ways.map((route) => route.device).filter((device) => !foreignNames.test(device));
  return devices.includes(name) && devices.every((device) => device === name);
}

/**
 * Returns the Open vSwitch bridge that has a device as a port. Null if no bridge has the device, if the device is the
 * bridge itself, or if the device is in a bridge of the agent, because the agent can release it.
 */
function otherBridge(name: string, observation: Observation): string | null {
  const ours = bridgesOf(observation).map(({ bridge }) => bridge);
  const holder = observation.ovs.bridges.find(
    (row) => !ours.includes(row.name) && row.ports.some((port) => port.interfaces.some((entry) => entry.name === name)),
  );
  return holder === undefined || holder.name === name ? null : holder.name;
}

function isOvsInternal(name: string, observation: Observation): boolean {
  return observation.ovs.bridges.some((bridge) =>
    bridge.ports.some((port) => port.interfaces.some((row) => row.name === name && row.type === 'internal')),
  );
}
