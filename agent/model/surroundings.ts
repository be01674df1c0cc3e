import type { InterfaceZones } from './firewall.ts';

/** Facts that only a plan that attaches a NIC to a bridge needs. They are read after such a plan has been made. */
export interface Surroundings {
  /**
   * Devices of other network namespaces that are stacked on a link outside of their own namespace. Absent if empty, or
   * if they were not read.
   */
  readonly stackedElsewhere?: readonly StackedElsewhere[];
  /** Rules of the packet filter that name interfaces. Absent if empty, or if they were not read. */
  readonly interfaceRules?: readonly InterfaceRules[];
  /**
   * Assignment of interfaces to firewalld zones. Absent if firewalld is not running, or if the assignment was not read.
   */
  readonly interfaceZones?: InterfaceZones;
}

/** Rules of one nftables chain, all of which name the same interfaces. */
export interface InterfaceRules {
  /** Family and name of the nftables table: `inet filter`. */
  readonly table: string;
  readonly chain: string;
  /** Interface names in the notation of nftables rules; a trailing `*` matches any ending. */
  readonly names: readonly string[];
  /** Number of rules in the nftables chain that name these interfaces. */
  readonly rules: number;
}

/**
 * A device of another network namespace, such as that of a container, that is stacked on a link outside of that
 * namespace.
 */
export interface StackedElsewhere {
  readonly name: string;
  /** Kind of the device in the notation of rtnetlink: `macvlan`, `ipvlan`, … */
  readonly kind: string;
  /** Index of the link on which the device is stacked. */
  readonly parentIndex: number;
  /** File through which the namespace can be entered (`nsenter --net=FILE`). */
  readonly namespace: string;
}
