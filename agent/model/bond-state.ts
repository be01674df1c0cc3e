/** A bond as /proc/net/bonding shows it (Linux drivers/net/bonding/bond_procfs.c). */
export interface BondState {
  /** Name of the bonding mode, as in the `mode` option of the bonding driver: `active-backup`, `balance-alb`, … */
  readonly mode: string;
  /**
   * ARP monitor (arp_interval), which probes IPv4 targets, IPv6 targets (ns_ip6_target) or both; null if the bond uses
   * MII monitoring.
   */
  readonly arpMonitor: {
    readonly intervalMs: number;
    /** Number of intervals without an answer after which a port counts as failed (arp_missed_max). */
    readonly missedMax: number;
    readonly targets: readonly string[];
  } | null;
  /** Port that carries the traffic now; null if no port does, or if the mode uses all of them. */
  readonly activePort: string | null;
  readonly ports: readonly BondPort[];
}

export interface BondPort {
  readonly name: string;
  /** True if the monitor reports the port as up. */
  readonly isWorking: boolean;
  /** Number of link failures that the monitor has counted since the port was added. */
  readonly failures: number;
}
