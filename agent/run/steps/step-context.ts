import type { Deadline } from '../../deadline.ts';
import type { ActivationWatch } from '../../drivers/networkmanager/activation.ts';
import type { NetworkManager } from '../../drivers/networkmanager/nm-client.ts';
import type { OpenVSwitch } from '../../drivers/openvswitch/ovs-client.ts';

/** Context of a step. */
export interface StepContext {
  readonly nm: NetworkManager;
  readonly ovs: OpenVSwitch;
  readonly watch: ActivationWatch;
  readonly deadline: Deadline;
  /**
   * True if ovs-vswitchd does not answer, and the NICs that it held are out of the kernel's data path; no step then
   * waits for it.
   */
  readonly withoutVswitchd?: boolean;
  /** Paths of the devices of active profiles by UUID; filled on first use. */
  readonly devices: Map<string, string>;
}

/** Returns a context for the first step. */
export function stepContext(parts: Omit<StepContext, 'devices'>): StepContext {
  return { ...parts, devices: new Map() };
}
