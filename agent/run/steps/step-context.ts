import type { Deadline } from '../../deadline.ts';
import type { ActivationWatch } from '../../drivers/networkmanager/activation.ts';
import type { NetworkManager } from '../../drivers/networkmanager/nm-client.ts';
import type { OpenVSwitch } from '../../drivers/openvswitch/ovs-client.ts';

/** Connections, limits and state that every step gets. */
export interface StepContext {
  readonly nm: NetworkManager;
  readonly ovs: OpenVSwitch;
  readonly watch: ActivationWatch;
  readonly deadline: Deadline;
  /**
   * True if ovs-vswitchd does not answer. The NICs in its bridges were then removed from the kernel's data path, and no
   * step waits for ovs-vswitchd.
   */
  readonly withoutVswitchd?: boolean;
  /**
   * D-Bus paths of the devices of active profiles, by UUID of the profile. A step adds an entry when it looks a device
   * up.
   */
  readonly devices: Map<string, string>;
}

/** Returns the context with which the first step of a plan runs. */
export function stepContext(parts: Omit<StepContext, 'devices'>): StepContext {
  return { ...parts, devices: new Map() };
}
