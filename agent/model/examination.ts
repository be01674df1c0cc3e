import type { Config, ConfigWarning } from './config.ts';
import type { ZoneSources } from './firewall.ts';
import type { KernelEntries } from './kernel-entries.ts';
import type { DaemonSetState } from './manifests.ts';
import type { Link, NetworkManagerFacts, OvsFacts, Resolver, Route } from './observation.ts';
import type { OthersRecord } from './others.ts';
import type { Surroundings } from './surroundings.ts';
import type { TuningFacts } from './tuning.ts';

/** What a part of the node answered, or why it did not. */
export type Answer<T> =
  | { readonly value: T; readonly failure: null }
  /** `kind` is that of the error, as in agent/errors.ts. */
  | { readonly value: null; readonly failure: Readonly<{ kind: string; message: string; hint: string | null }> };

/**
 * All that `doctor` looks at: an observation whose parts may be missing, and what lies around it. Plain JSON, without secrets and
 * without a clock: what depends on the time was judged when it was collected.
 */
export interface Examination {
  readonly system: Answer<SystemFacts>;
  readonly network: Answer<NetworkFacts>;
  readonly networkManager: Answer<NetworkManagerFacts>;
  readonly ovs: Answer<OvsFacts>;
  /** Whether ovs-vswitchd answers its control socket. */
  readonly vswitchd: Answer<'responds'>;
  readonly tuning: Answer<TuningFacts>;
  readonly config: Answer<{
    readonly config: Config;
    readonly warnings: readonly ConfigWarning[];
    /** What is wrong with MicroShift's own files, and counts as not set. Absent: nothing. */
    readonly clusterProblems?: readonly { readonly message: string; readonly hint: string | null }[];
  }>;
  readonly units: Answer<readonly UnitFacts[]>;
  /** null: firewalld does not run. */
  readonly firewall: Answer<ZoneSources | null>;
  readonly packetFilter: Answer<PacketFilterFacts>;
  readonly files: Answer<FileFacts>;
  /** null: there is no kubeconfig, so no cluster to ask. */
  readonly daemonSets: Answer<readonly DaemonSetState[] | null>;
  /** null: this node is in no overlay. */
  readonly overlay: Answer<OverlayFacts | null>;
}

/** What an overlay needs of this node to work. */
export interface OverlayFacts {
  /** This node's name in the cluster. */
  readonly node: string;
  readonly isCentral: boolean;
  /** Where the southbound database answers. */
  readonly southbound: readonly string[];
  readonly controller: 'absent' | 'connected' | 'not connected';
  /** Whether both databases of OVN listen here. */
  readonly hasDatabases: boolean;
  /** Whether programs of OVN are on this machine; where none is, containers may run it. */
  readonly installed: { readonly controller: boolean; readonly northd: boolean };
  /** Of the tunnels of this node. */
  readonly encapTypes: readonly string[];
  /** Kinds of interfaces and data paths that ovs-vswitchd can make; null: it did not say. */
  readonly dataPath: { readonly interfaceTypes: readonly string[]; readonly datapathTypes: readonly string[] } | null;
  /** What the databases on this node do not have, although rows of the overlay need it, and what is done without it. */
  readonly missing: readonly { readonly name: string; readonly for: string }[];
  /** Connections by which others may write the central databases; null: this is not the central node. */
  readonly listeners: readonly { readonly message: string; readonly hint: string }[] | null;
  /** null: this is not the central node, or its database did not answer. */
  readonly clocks: OverlayClocks | null;
  /** How long each certificate on this node is still valid, as of the examination; `beginsInS` above zero: not yet. */
  readonly certificates: readonly { readonly name: string; readonly days: number; readonly beginsInS: number }[];
}

/** When ovn-northd handed out the configuration, by the central node's clock, and when each other node had it, by its own (ovn-sb(5), Chassis_Private). */
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
  /** null: the kernel has none. */
  readonly selinux: 'enforcing' | 'permissive' | null;
}

export interface NetworkFacts extends Surroundings {
  readonly links: readonly Link[];
  readonly routes: readonly Route[];
  /** As in an observation. */
  readonly signpost?: true;
  /** As in an observation. */
  readonly foreign?: readonly KernelEntries[];
  readonly kernelIpv6?: readonly string[];
  readonly others?: readonly OthersRecord[];
  readonly hasMicroShiftScript?: true;
  /** As in an observation. */
  readonly hasMicroShift?: true;
  readonly lacksTun?: true;
  readonly resolver: Resolver;
  /** Programs without which NetworkManager cannot start a device again. */
  readonly missingPrograms: readonly string[];
  /** Kernel settings by their sysctl name; null: the kernel has no such setting. */
  readonly sysctls: Readonly<Record<string, string | null>>;
  /** Of rp_filter, by link: it is the larger of `all` and the link's own that counts. */
  readonly rpFilter: Readonly<Record<string, number>>;
  /** Release of the kernel that runs (uname -r). */
  readonly kernel: string;
  readonly openvswitchModule: 'loaded' | 'available' | 'missing' | 'unknown';
  /** Words of the kernel command line that configure the network (dracut.cmdline(7)). */
  readonly commandLine: readonly string[];
  /** In the node's own network; those of containers and pods are not among them. */
  readonly dhcpClients: readonly { readonly pid: number; readonly command: readonly string[] }[];
  /** Links that systemd-networkd configures, or did before it was stopped. */
  readonly networkdLinks: readonly string[];
  /** Links with an ifcfg file of the old network scripts, or a stanza of ifupdown; and that file. */
  readonly scriptedLinks: readonly { readonly link: string; readonly file: string }[];
}

/** What systemd says of a unit (systemctl show). */
export interface UnitFacts {
  readonly name: string;
  /** `loaded`, `not-found`, `masked`, … */
  readonly load: string;
  readonly active: string;
  /** `success`, `exit-code`, `timeout`, … of its last run. */
  readonly result: string;
  /** `enabled`, `disabled`, `masked`, `static`, …; empty where there is none. */
  readonly file: string;
  readonly path: string;
  readonly dropIns: readonly string[];
  /** What its start runs, a command line each. */
  readonly runs: readonly string[];
  readonly after: readonly string[];
  readonly before: readonly string[];
  readonly exitStatus: number;
  readonly restarts: number;
}

export interface PacketFilterFacts {
  /** Chains of ovn-kubernetes in the nat table of each IP family; null: iptables-save or ip6tables-save is not there, or may not look. */
  readonly natChains: Readonly<Record<'ipv4' | 'ipv6', readonly NatChain[] | null>>;
  /** Tables of nftables; null: nft is not there. */
  readonly nftTables: readonly string[] | null;
}

export interface NatChain {
  readonly name: string;
  readonly rules: number;
  /** Chains that lead to it. */
  readonly from: readonly string[];
}

export interface FileFacts {
  readonly hints: readonly HintFileFacts[];
  /** The note of a run that moved the hinted NIC, as it is in the file; null: there is none. */
  readonly hintedNic: string | null;
  /** The list of `bridge add`, as it is in the file. Absent: there is none. */
  readonly addedBridges?: string;
  readonly disks: readonly DiskFacts[];
  /** Files that a run of the script, or of NetworkManager, left half-way. */
  readonly leftovers: readonly string[];
  readonly journals: JournalFacts;
}

export interface HintFileFacts {
  readonly path: string;
  readonly is: 'interface' | 'address';
  /** What is there instead of a regular file; null: a regular file. */
  readonly notAFile: string | null;
  readonly text: string;
  readonly ownerId: number;
  /** Permission bits. */
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
  /** What runs now and holds the lock; null: nothing. */
  readonly running: string | null;
}

/** The result of a check. `not-applicable`: there is nothing to check here, or it cannot be told. */
export type Verdict = 'ok' | 'warning' | 'failed' | 'not-applicable';

/** What one check found, and how to mend it. */
export interface CheckResult {
  readonly id: string;
  readonly title: string;
  readonly verdict: Verdict;
  /** The evidence: one sentence each. */
  readonly found: readonly string[];
  /** What mends it, in order, each for a shell: words stand behind a `#`. Empty when nothing is to mend. */
  readonly fix: readonly string[];
}
