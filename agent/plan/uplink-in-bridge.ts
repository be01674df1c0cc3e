import type { Observation } from '../model/observation.ts';
import type { BridgeNames } from './names.ts';

/** Device of the kernel's kind in an OVS bridge: its uplink, if it has exactly one. */
export function uplinkInBridge(names: BridgeNames, observation: Observation): string | null {
  const bridge = observation.ovs.bridges.find((row) => row.name === names.bridge);
  const devices = (bridge?.ports ?? []).flatMap((port) =>
    port.interfaces.filter((row) => row.type === '' || row.type === 'system'),
  );
  return devices.length === 1 ? (devices[0]?.name ?? null) : null;
}
