import type { Deadline } from '../deadline.ts';
import type { ActivationWatch } from '../drivers/networkmanager/activation.ts';
import type { NetworkManager } from '../drivers/networkmanager/client.ts';
import type { OpenVSwitch } from '../drivers/openvswitch/client.ts';

/** What steps act on. */
export interface StepContext {
  readonly nm: NetworkManager;
  readonly ovs: OpenVSwitch;
  readonly watch: ActivationWatch;
  readonly deadline: Deadline;
  /** ovs-vswitchd does not answer, and the NICs that it held are out of the kernel's data path: nothing is asked of it. Absent: it does. */
  readonly withoutVswitchd?: boolean;
  /** Devices of active profiles, found once: the device's path by the profile's UUID. */
  readonly devices: Map<string, string>;
}

/** A context in which no step has run yet. */
export function stepContext(parts: Omit<StepContext, 'devices'>): StepContext {
  return { ...parts, devices: new Map() };
}
