import { devicesIn, mayBeNic } from './bridge-devices.ts';
import { type BridgeNames, sourceOf } from './names.ts';
import type { Observation } from './observation.ts';
import { stringsOf, textOf } from './profile-settings.ts';

/**
 * Returns the uplink in an OVS bridge: the device that the agent's profile names in `bridge-uplink`, if the bridge has
 * this device, and otherwise the only NIC in the bridge. Null if the bridge has no NIC, or has several of which none is
 * named. A named device may be a tap or veth, if the node itself is a guest or a container.
 */
export function uplinkInBridge(names: BridgeNames, observation: Observation): string | null {
  const bridge = observation.ovs.bridges.find((row) => row.name === names.bridge);
  const devices = devicesIn(bridge).map((row) => row.name);
  const named = namedUplink(names, observation);
  if (named !== null && devices.includes(named)) return named;
  const [only, ...more] = devices.filter((name) => mayBeNic(name, observation));
  return more.length === 0 ? (only ?? null) : null;
}

/**
 * Returns the NIC in a bridge. If the bridge or its NIC has been removed from Open vSwitch by hand, returns the former
 * NIC, which the profiles name. Null if no NIC is known, or if the NIC no longer exists or is in another bridge.
 */
export function presentOrFormerUplink(names: BridgeNames, observation: Observation): string | null {
  const { profiles } = observation.networkManager;
  const former =
    profiles.find((entry) => entry.id === names.formerUplinkInterface) ??
    profiles.find((entry) => entry.id === names.formerUplinkPort);
  const bound = textOf(former?.settings, 'connection', 'interface-name');
  const inBridge = uplinkInBridge(names, observation);
  const candidates = [inBridge, bound, namedUplink(names, observation), runningSource(names, observation)];
  const others = observation.ovs.bridges.filter((row) => row.name !== names.bridge);
  const taken = others.flatMap((row) => row.ports.map((port) => port.name));
  const free = observation.links.map((link) => link.name).filter((name) => !taken.includes(name));
  return candidates.find((name) => free.some((link) => link === name)) ?? null;
}

/**
 * Returns the uplink that the agent's profile of the bridge names in `bridge-uplink`, a key that ovn-kubernetes reads;
 * null if the profile names none.
 */
export function namedUplink(names: BridgeNames, observation: Observation): string | null {
  const profile = observation.networkManager.profiles.find((entry) => entry.id === names.bridge);
  return stringsOf(profile?.settings, 'ovs-external-ids', 'data')['bridge-uplink'] ?? null;
}

/**
 * Returns the device on which the administrator's profile for the NIC is active. The agent has made its profile of the
 * bridge's internal interface from that profile. Null if the administrator's profile is not active.
 */
function runningSource(names: BridgeNames, { networkManager }: Observation): string | null {
  const { profiles, activeConnections, devices } = networkManager;
  const own = profiles.find((entry) => entry.id === names.bridgeInterface);
  const source = own === undefined ? null : sourceOf(own);
  const active = activeConnections.find((entry) => entry.uuid === source);
  return devices.find((entry) => active?.devices.includes(entry.path))?.interface ?? null;
}
