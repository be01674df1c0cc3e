import type { AddedBridge } from './added-bridge.ts';

/** First line of each hint file, without surrounding white space and quotes; null if the file is absent or empty. */
export interface HintFiles {
  /** Content of /var/lib/ovnk/iface_default_hint. */
  readonly interfaceHint: string | null;
  /**
   * NIC that carried br-ex last, from /var/lib/microshift-net/uplink.json. Absent in snapshots of agents before 0.2.
   */
  readonly hintedNic?: HintedNic | null;
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
