import type { AddedBridge } from './added-bridge.ts';

/**
 * Values of the hint files. The value of a file is its first line that is not blank, without surrounding white space
 * and quotes; null if the file is absent or empty.
 */
export interface HintFiles {
  /** Content of /var/lib/ovnk/iface_default_hint. */
  readonly interfaceHint: string | null;
  /**
   * NIC that was last in br-ex, from /var/lib/microshift-net/uplink.json; null if the file names none. Absent if the
   * file was not read.
   */
  readonly hintedNic?: HintedNic | null;
  /** Identities of the NICs in the agent's bridges, from uplink.json. Absent if empty. */
  readonly identities?: readonly NicIdentity[];
  /** Bridges that `bridge add` recorded in /var/lib/microshift-net/bridges.json. Absent if empty. */
  readonly addedBridges?: readonly AddedBridge[];
  /** Content of /etc/ovnk/extra_bridge. */
  readonly extraBridge: string | null;
  /** Content of /etc/ovnk/default_bridge. */
  readonly defaultBridge: string | null;
  /** Content of /run/nodeip-configuration/primary-ip. */
  readonly nodeIp: string | null;
}

/** A NIC with its permanent MAC, which identifies it after a change of its name. */
export interface HintedNic {
  readonly interface: string;
  readonly permanentMac: string;
}

/**
 * Settings of a bridge's profile by which the LAN recognizes the node. If such a setting is absent, NetworkManager may
 * derive its value from the name of the NIC or from the NIC's profile.
 */
export const identityKeys = ['ipv4.dhcp-client-id', 'ipv6.dhcp-duid', 'ipv6.dhcp-iaid', 'ipv6.token'] as const;
export type IdentityKey = (typeof identityKeys)[number];
export type IdentityValues = Readonly<Partial<Record<IdentityKey, string>>>;

/**
 * Identity of a NIC with one of its profiles. The identity is recorded because the agent's profiles do not survive a
 * reboot: at the next boot, the NIC may become a port of its bridge before it has a lease or an address that shows the
 * identity.
 */
export interface NicIdentity {
  readonly interface: string;
  /** UUID of the administrator's profile. */
  readonly profile: string;
  readonly values: IdentityValues;
  /**
   * Values that the settings in `values` had in the administrator's profile when this identity was recorded, with the
   * defaults of NetworkManager's configuration. A setting that was not set is absent. If the profile has another value
   * of a setting now, the recorded value in `values` no longer applies.
   */
  readonly settings: IdentityValues;
}
