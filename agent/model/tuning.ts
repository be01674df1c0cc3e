import type { Difference, PlanNote } from './plan.ts';

/** Names of the two Open vSwitch daemons, which are also the names of their programs and units. */
export type DaemonName = 'ovs-vswitchd' | 'ovsdb-server';

/** State of the Open vSwitch daemons from /proc, and the systemd drop-ins that determine their next start. */
export interface TuningFacts {
  /** CPU list of the online CPUs. */
  readonly onlineCpus: string;
  /** CPU list of process 1, which a service without an affinity of its own inherits. */
  readonly baseCpus: string;
  readonly daemons: readonly DaemonFacts[];
}

export interface DaemonFacts {
  readonly name: DaemonName;
  /** Process id; null if the daemon is not running. */
  readonly pid: number | null;
  readonly threads: readonly ThreadFacts[];
  /** Locked memory of the process in KiB (VmLck). */
  readonly lockedKib: number;
  readonly dropIns: readonly DropInFacts[];
}

export interface ThreadFacts {
  readonly tid: number;
  /** Name of the thread: `handler1`, `revalidator2`, `pmd-c01/id:8`, … */
  readonly name: string;
  /** CPU list in the notation of the kernel. */
  readonly cpus: string;
}

export interface DropInFacts {
  readonly kind: 'affinity' | 'no-mlockall';
  /**
   * Path of a drop-in below /etc/systemd/system, the administrator's directory. A file there replaces the packaged file
   * of the same name.
   */
  readonly path: string;
  /** Content of the drop-in in the administrator's directory; null if it does not exist. */
  readonly text: string | null;
  /** Content of the packaged drop-in of the same name in /usr/lib; null if it does not exist. */
  readonly shipped: string | null;
}

/** Arguments of each kind of tuning step: name of the kind → arguments. */
export interface TuningStepArguments {
  /** Sets the CPU affinity of running threads; null `threads` mean all threads of the process. */
  pinThreads: { daemon: DaemonName; pid: number; threads: readonly number[] | null; cpus: string };
  writeDropIn: { path: string; text: string };
  removeDropIn: { path: string };
  /** Makes systemd read its drop-ins; restarts no service. */
  reloadUnits: Record<never, never>;
  /** Changes keys in a column of the table Open_vSwitch; a null value removes the key. */
  setKeys: { column: OvsColumn; values: Readonly<Record<string, string | null>> };
}

/** Map columns of the table Open_vSwitch (ovs-vswitchd.conf.db(5)). */
export type OvsColumn = 'external_ids' | 'other_config';

export type TuningStepKind = keyof TuningStepArguments;

/** Step of tuning: its kind, its arguments and its reason. */
export type TuningStep = {
  [K in TuningStepKind]: { readonly do: K; readonly why: string } & Readonly<TuningStepArguments[K]>;
}[TuningStepKind];

export interface TuningPlan {
  readonly steps: readonly TuningStep[];
  /** Differences that the steps remove; empty if there is nothing to do. */
  readonly differences: readonly Difference[];
  /** Remarks about settings that only a restart or the administrator can change. */
  readonly notes: readonly PlanNote[];
}
