import type { KernelEntries } from './kernel-entries.ts';

/** Id and UUID of a NetworkManager profile. */
export interface ProfileName {
  readonly id: string;
  readonly uuid: string;
}

/** A profile that a step activates. */
export interface ProfileActivation extends ProfileName {
  /** Device on which the profile is activated; null if NetworkManager makes or finds the device. */
  readonly interface: string | null;
  /**
   * Name of the bridge's tap in a userspace data path, which may exist before the activation. NetworkManager configures
   * it at the next notification from the kernel. The kernel sends no notification for an existing tap by itself, so the
   * step causes one.
   */
  readonly tap?: string;
  /**
   * Dynamic IPv6 addresses and routes that are added to the interface in the kernel as soon as NetworkManager has begun
   * to configure IPv6 on it. NetworkManager removes all IPv6 addresses of an interface when it activates a profile on
   * that interface.
   */
  readonly held?: KernelEntries;
  /**
   * True if the interface gets its addresses only from router advertisements or DHCPv6. None of these messages arrives
   * before a NIC is a port of the bridge, so the step does not wait until the profile is active.
   */
  readonly needsPort?: true;
  /**
   * Interface on which duplicate address detection is off while the profile starts, because the interface already has
   * the same addresses.
   */
  readonly undetected?: string;
}
