/** A bond as /proc/net/bonding shows it (Linux drivers/net/bonding/bond_procfs.c). */
export interface BondState {
  /** Name of the mode as in `mode` of the bonding driver: `active-backup`, `balance-alb`, … */
  readonly mode: string;
  /** The ARP monitor (arp_interval), which probes IPv4 targets, IPv6 targets (ns_ip6_target) or both; null: the bond is watched by MII. */
  readonly arpMonitor: {
    readonly intervalMs: number;
    /** arp_missed_max: intervals without an answer after which a port has failed. */
    readonly missedMax: number;
    readonly targets: readonly string[];
  } | null;
  /** The port that carries the traffic now; null: none does, or the mode uses all of them. */
  readonly activePort: string | null;
  readonly ports: readonly BondPort[];
}

export interface BondPort {
  readonly name: string;
  /** The monitor takes it for working. */
  readonly isWorking: boolean;
  /** How often the monitor has found it failed since it was added. */
  readonly failures: number;
}
