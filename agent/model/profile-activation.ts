import type { KernelEntries } from './kernel-entries.ts';

/** A profile of NetworkManager. */
export interface ProfileName {
  readonly id: string;
  readonly uuid: string;
}

/** A profile that a step starts. */
export interface ProfileActivation extends ProfileName {
  /** Device to activate it on; null: NetworkManager makes or finds it. */
  readonly interface: string | null;
  /** Interface of a userspace data path, which may be there already: NetworkManager configures it when it hears of it, and nobody would tell any more. */
  readonly tap?: string;
  /** Dynamic IPv6 that the interface gets in the kernel as soon as NetworkManager, which removes all IPv6 of an interface at its start, has begun. */
  readonly held?: KernelEntries;
  /** Only dynamic IPv6, and no router is heard before a NIC is a port: the start is not waited for. */
  readonly needsPort?: true;
  /** Interface without duplicate address detection during the start, because it has the same addresses already. */
  readonly undetected?: string;
}
