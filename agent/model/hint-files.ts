import type { AddedBridge } from './added-bridge.ts';

/** First line of each hint file, without white space and quotes around it; null where the file is absent or empty. */
export interface HintFiles {
  /** /var/lib/ovnk/iface_default_hint */
  readonly interfaceHint: string | null;
  /** /var/lib/microshift-net/uplink.json: the NIC that carried br-ex last. Absent in snapshots of agents before 0.2. */
  readonly hintedNic?: HintedNic | null;
  /** /var/lib/microshift-net/bridges.json: what `bridge add` has asked for. Absent: nothing. */
  readonly addedBridges?: readonly AddedBridge[];
  /** /etc/ovnk/extra_bridge */
  readonly extraBridge: string | null;
  /** /etc/ovnk/default_bridge */
  readonly defaultBridge: string | null;
  /** /run/nodeip-configuration/primary-ip */
  readonly nodeIp: string | null;
}

/** A NIC by what does not change with its name. */
export interface HintedNic {
  readonly interface: string;
  readonly permanentMac: string;
}
