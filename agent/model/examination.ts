import type { Config, ConfigWarning } from './config.ts';
import type { ZoneSources } from './firewall.ts';
import type { KernelEntries } from './kernel-entries.ts';
import type { DaemonSetState } from './manifests.ts';
import type { Membership } from './missing-port.ts';
import type { Link, NetworkManagerFacts, OvsFacts, Resolver, Route } from './observation.ts';
import type { OthersRecord } from './others.ts';
import type { Surroundings } from './surroundings.ts';
import type { TuningFacts } from './tuning.ts';

/** Value that was read from a part of the node, or the error that occurred instead. */
export type Answer<T> =
  | { readonly value: T; readonly failure: null }
  /** `kind` is the error kind of agent/errors.ts. */
  | { readonly value: null; readonly failure: Readonly<{ kind: string; message: string; hint: string | null }> };

/**
 * All facts that `doctor` checks: an observation whose parts may be missing, and facts about services, files, the
 * cluster and the overlay. It is plain JSON without secrets. Its evaluation needs no clock: facts that depend on the
 * time are evaluated when they are collected.
 */
export interface Examination {
  readonly system: Answer<SystemFacts>;
  readonly network: Answer<NetworkFacts>;
  readonly networkManager: Answer<NetworkManagerFacts>;
  readonly ovs: Answer<OvsFacts>;
  /** `responds` if ovs-vswitchd answers on its control socket. */
  readonly vswitchd: Answer<'responds'>;
  readonly tuning: Answer<TuningFacts>;
  readonly config: Answer<{
    readonly config: Config;
    readonly warnings: readonly ConfigWarning[];
    /** Errors in MicroShift's own files; the settings concerned count as not set. Absent if no file has an error. */
    readonly clusterProblems?: readonly { readonly message: string; readonly hint: string | null }[];
  }>;
  readonly units: Answer<readonly UnitFacts[]>;
  /** Sources of firewalld's zone `trusted`; null if firewalld is not running. */
  readonly firewall: Answer<ZoneSources | null>;
  readonly packetFilter: Answer<PacketFilterFacts>;
  readonly files: Answer<FileFacts>;
  /** State of ovn-kubernetes' daemonsets; null if the node has no kubeconfig. */
  readonly daemonSets: Answer<readonly DaemonSetState[] | null>;
  /** Facts about the overlay; null if this node is not in an overlay. */
  readonly overlay: Answer<OverlayFacts | null>;
}

/** Credentials with which the daemon works in Kubernetes. */
export interface OverlayCredentials {
  readonly kubeconfig: string;
  /**
   * Problem of a cluster administrator's credentials, which permit more than the daemon needs; null for other
   * credentials.
   */
  readonly complaint: { readonly message: string; readonly hint: string } | null;
}

/** Facts about this node on which the overlay depends. */
export interface OverlayFacts {
  /** This node's name in the cluster. */
  readonly node: string;
  readonly isCentral: boolean;
  /** Addresses of the southbound database. */
  readonly southbound: readonly string[];
  readonly controller: 'absent' | 'connected' | 'not connected';
  readonly membership: Membership;
  /** True if the servers of both OVN databases listen on this node. */
  readonly hasDatabases: boolean;
  /** OVN programs that are installed on this machine. Containers may run a program that is not installed. */
  readonly installed: { readonly controller: boolean; readonly northd: boolean };
  /** Encapsulation types of this node's tunnels. */
  readonly encapTypes: readonly string[];
  /** Types of interfaces and data paths that ovs-vswitchd supports; null if it does not report them. */
  readonly dataPath: { readonly interfaceTypes: readonly string[]; readonly datapathTypes: readonly string[] } | null;
  /** Commands of ip(8) that give the management port the settings that it lacks. Absent if it lacks none. */
  readonly kernel?: readonly string[];
  /**
   * Sentences about the other nodes on this node's LAN from which no packet arrives by the direct route. Absent if no
   * other node on the LAN takes part in direct routes, or if the database of Open vSwitch does not answer.
   */
  readonly direct?: readonly string[];
  /**
   * Tables and columns that rows of the overlay need but the databases on this node lack, each with its purpose
   * (`for`).
   */
  readonly missing: readonly { readonly name: string; readonly for: string }[];
  /**
   * Complaints about connections over which other hosts, or users of this node other than root, may write to the
   * central databases; null if this is not the central node.
   */
  readonly listeners: readonly { readonly message: string; readonly hint: string }[] | null;
  /**
   * Kubernetes credentials of the daemon; null if the node has no kubeconfig for the daemon, if the API server does not
   * answer, or if ovn.yaml cannot be read.
   */
  readonly credentials: OverlayCredentials | null;
  /**
   * Times at which the configuration of the overlay was published and at which the nodes had applied it; null if this
   * is not the central node, or if its database does not answer.
   */
  readonly clocks: OverlayClocks | null;
  /**
   * Remaining validity of each certificate on this node, in days at the time of the examination. `beginsInS` is above
   * zero if the certificate is not valid yet.
   */
  readonly certificates: readonly { readonly name: string; readonly days: number; readonly beginsInS: number }[];
}

/**
 * Time at which ovn-northd published the configuration, by the central node's clock. For each other node: the time at
 * which that node had applied the configuration, by that node's clock (ovn-sb(5), Chassis_Private).
 */
export interface OverlayClocks {
  readonly nowMs: number;
  readonly sent: { readonly number: number; readonly atMs: number };
  readonly done: readonly { readonly name: string; readonly number: number; readonly atMs: number }[];
}

export interface SystemFacts {
  readonly agentVersion: string;
  readonly nodeVersion: string;
  /** PRETTY_NAME of os-release(5). */
  readonly os: string;
  readonly hostname: string;
  readonly bootId: string;
  /** Mode of SELinux; null if the kernel has no SELinux. */
  readonly selinux: 'enforcing' | 'permissive' | null;
}

export interface NetworkFacts extends Surroundings {
  readonly links: readonly Link[];
  readonly routes: readonly Route[];
  /** True if the signpost exists, the default route by which MicroShift finds the node on lo. Absent otherwise. */
  readonly signpost?: true;
  /** Entries that programs other than NetworkManager may have added to links (facts/foreign.ts). */
  readonly foreign?: readonly KernelEntries[];
  readonly kernelIpv6?: readonly string[];
  readonly others?: readonly OthersRecord[];
  readonly hasMicroShiftScript?: true;
  /** True if MicroShift is installed. Absent otherwise. */
  readonly hasMicroShift?: true;
  readonly lacksTun?: true;
  readonly resolver: Resolver;
  /** Missing programs that NetworkManager needs to start a device again. */
  readonly missingPrograms: readonly string[];
  /** Kernel settings by sysctl name; null if the kernel has no such setting. */
  readonly sysctls: Readonly<Record<string, string | null>>;
  /** Value of rp_filter by link. The effective value is the larger of `all` and the link's own. */
  readonly rpFilter: Readonly<Record<string, number>>;
  /** Release of the running kernel (uname -r). */
  readonly kernel: string;
  readonly openvswitchModule: 'loaded' | 'available' | 'missing' | 'unknown';
  /** Words of the kernel command line that configure the network (dracut.cmdline(7)). */
  readonly commandLine: readonly string[];
  /** DHCP clients in the node's own network namespace, without those of containers and pods. */
  readonly dhcpClients: readonly { readonly pid: number; readonly command: readonly string[] }[];
  /** Links that systemd-networkd configures, or configured before it was stopped. */
  readonly networkdLinks: readonly string[];
  /**
   * Links that are configured by an ifcfg file of the old network scripts or by a stanza of ifupdown, each with the
   * file.
   */
  readonly scriptedLinks: readonly { readonly link: string; readonly file: string }[];
}

/** Properties of a unit as systemd reports them (systemctl show). */
export interface UnitFacts {
  readonly name: string;
  /** Load state: `loaded`, `not-found`, `masked`, … */
  readonly load: string;
  readonly active: string;
  /** Result of the last run: `success`, `exit-code`, `timeout`, … */
  readonly result: string;
  /** Unit file state: `enabled`, `disabled`, `masked`, `static`, …; empty if the unit has no file. */
  readonly file: string;
  readonly path: string;
  readonly dropIns: readonly string[];
  /** Command lines of ExecStart=. */
  readonly runs: readonly string[];
  readonly after: readonly string[];
  readonly before: readonly string[];
  readonly exitStatus: number;
  readonly restarts: number;
}

export interface PacketFilterFacts {
  /**
   * Chains of ovn-kubernetes in the nat table of each IP family; null if iptables-save or ip6tables-save is missing,
   * not permitted, or fails.
   */
  readonly natChains: Readonly<Record<'ipv4' | 'ipv6', readonly NatChain[] | null>>;
  /** Tables of nftables; null if nft(8) is missing, not permitted, or fails. */
  readonly nftTables: readonly string[] | null;
}

export interface NatChain {
  readonly name: string;
  readonly rules: number;
  /** Chains that jump to this chain. */
  readonly from: readonly string[];
}

export interface FileFacts {
  readonly hints: readonly HintFileFacts[];
  /**
   * Content of uplink.json, which names the NIC that was last in br-ex, with the NIC's permanent MAC; null if the file
   * does not exist.
   */
  readonly hintedNic: string | null;
  /** Content of the list that `bridge add` writes. Absent if the file does not exist. */
  readonly addedBridges?: string;
  readonly disks: readonly DiskFacts[];
  /** Temporary files of profiles that an interrupted configure-ovs.sh or NetworkManager did not remove. */
  readonly leftovers: readonly string[];
  readonly journals: JournalFacts;
}

export interface HintFileFacts {
  readonly path: string;
  readonly is: 'interface' | 'address';
  /** Type of the object at the path if it is not a regular file; null for a regular file. */
  readonly notAFile: string | null;
  readonly text: string;
  readonly ownerId: number;
  /** Permission bits of the file. */
  readonly mode: number;
}

export interface DiskFacts {
  readonly path: string;
  readonly mountPoint: string;
  readonly readOnly: boolean;
  readonly freeBytes: number;
  readonly freeFiles: number | null;
}

export interface JournalFacts {
  readonly open: readonly {
    readonly id: string;
    readonly state: string;
    readonly command: string;
    readonly confirmUntil: string | null;
    readonly ofThisBoot: boolean;
  }[];
  readonly unusable: readonly { readonly path: string; readonly why: string }[];
  readonly last: { readonly id: string; readonly state: string; readonly detail: string | null } | null;
  /** Command and process id of the run that holds the agent's lock; null if the lock is free. */
  readonly running: string | null;
}

/** Result of a check. `not-applicable`: there is nothing to check, or the facts do not allow a result. */
export type Verdict = 'ok' | 'warning' | 'failed' | 'not-applicable';

/** Result of one check, with its evidence and the commands that fix the problem. */
export interface CheckResult {
  readonly id: string;
  readonly title: string;
  readonly verdict: Verdict;
  /** Evidence, one sentence per entry. */
  readonly found: readonly string[];
  /**
   * Commands for a shell that fix the problem, in their order; prose follows a `#`. Empty if there is nothing to fix.
   */
  readonly fix: readonly string[];
}
