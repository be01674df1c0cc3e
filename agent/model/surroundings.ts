import type { InterfaceZones } from './firewall.ts';

/** Facts that only a plan that attaches a NIC to a bridge needs; they are read once such a plan exists. */
export interface Surroundings {
  /** Devices of other network namespaces that are stacked on links of another one. Absent: none, or nothing was asked for. */
  readonly stackedElsewhere?: readonly StackedElsewhere[];
  /** Rules of the packet filter that name interfaces. Absent: none, or nothing was asked for. */
  readonly interfaceRules?: readonly InterfaceRules[];
  /** Where firewalld has interfaces. Absent: it does not run, or nothing was asked for. */
  readonly interfaceZones?: InterfaceZones;
}

/** Rules of a chain of nftables that name the same interfaces. */
export interface InterfaceRules {
  /** Family and name: `inet filter`. */
  readonly table: string;
  readonly chain: string;
  /** As in the rule: a name, or a beginning of names with `*`. */
  readonly names: readonly string[];
  /** How many rules these are. */
  readonly rules: number;
}

/** A device that is stacked on a link of this network namespace and was moved to another one, of a container for example. */
export interface StackedElsewhere {
  readonly name: string;
  /** As rtnetlink names it: `macvlan`, `ipvlan`, … */
  readonly kind: string;
  /** Index of the link below it. */
  readonly parentIndex: number;
  /** How the namespace can be entered: a file for `nsenter --net=FILE`. */
  readonly namespace: string;
}
