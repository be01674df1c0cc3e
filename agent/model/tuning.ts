import type { Difference, PlanNote } from './plan.ts';

/** The two daemons of Open vSwitch, by the names of their programs and of their units. */
export type DaemonName = 'ovs-vswitchd' | 'ovsdb-server';

/** How the daemons of Open vSwitch run, read from /proc, and the drop-ins that decide how they will start next time. */
export interface TuningFacts {
  /** CPU list of what is online. */
  readonly onlineCpus: string;
  /** CPU list of process 1: what a service without an affinity of its own gets. */
  readonly baseCpus: string;
  readonly daemons: readonly DaemonFacts[];
}

export interface DaemonFacts {
  readonly name: DaemonName;
  /** null: it does not run. */
  readonly pid: number | null;
  readonly threads: readonly ThreadFacts[];
  /** Memory it has locked (VmLck). */
  readonly lockedKib: number;
  readonly dropIns: readonly DropInFacts[];
}

export interface ThreadFacts {
  readonly tid: number;
  /** `handler1`, `revalidator2`, `pmd-c01/id:8`, … */
  readonly name: string;
  /** CPU list as the kernel writes it. */
  readonly cpus: string;
}

export interface DropInFacts {
  readonly kind: 'affinity' | 'no-mlockall';
  /** Path below /etc/systemd/system: the admin's place, which hides the shipped file of the same name. */
  readonly path: string;
  /** What is there; null: nothing. */
  readonly text: string | null;
  /** What a package ships under the same name in /usr/lib; null: nothing. */
  readonly shipped: string | null;
}

/** Arguments of every kind of tuning step; the executors are derived from this. */
export interface TuningStepArguments {
  /** Gives running threads a CPU affinity; null: all threads of the process. */
  pinThreads: { daemon: DaemonName; pid: number; threads: readonly number[] | null; cpus: string };
  writeDropIn: { path: string; text: string };
  removeDropIn: { path: string };
  /** Lets systemd read the drop-ins; restarts nothing. */
  reloadUnits: Record<never, never>;
  /** Changes keys of a column of the table Open_vSwitch; null removes one. */
  setKeys: { column: OvsColumn; values: Readonly<Record<string, string | null>> };
}

/** Columns of the table Open_vSwitch that hold keys and values (ovs-vswitchd.conf.db(5)). */
export type OvsColumn = 'external_ids' | 'other_config';

export type TuningStepKind = keyof TuningStepArguments;

/** One step of tuning: what it does, to what, and why. */
export type TuningStep = {
  [K in TuningStepKind]: { readonly do: K; readonly why: string } & Readonly<TuningStepArguments[K]>;
}[TuningStepKind];

export interface TuningPlan {
  readonly steps: readonly TuningStep[];
  /** Why the steps are there; empty when nothing is to do. */
  readonly differences: readonly Difference[];
  /** What only a restart, or the admin, can change. */
  readonly notes: readonly PlanNote[];
}
