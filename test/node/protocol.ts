// Messages on the command channel between a test and its node: one JSON value per line, in both directions.

/** Time of a kill: a time after the start of the command, or a time after a text appears in its output. */
export interface KillPlan {
  afterMs?: number;
  onText?: string;
  /**
   * Signal to send; SIGKILL (the default) reaches every process of the command, and other signals its process group.
   */
  signal?: string;
}

export interface RunRequest {
  do: 'run';
  shell: string;
  cwd: string;
  env: Record<string, string>;
  stdin: string;
  timeoutMs: number;
  kill: KillPlan | null;
  /** True if the memory of the command's processes is sampled, which uses a few per cent of the node's CPU. */
  sampleMemory: boolean;
}

/** Event that ends a run at a fault point: a signal, or the kernel, because the control group has no memory left. */
export type Strike = 'kill' | 'terminate' | 'exhaust-memory';

export type Request =
  | RunRequest
  | { do: 'signal'; target: number; signal: string }
  | { do: 'read'; path: string }
  | { do: 'write'; path: string; base64: string; mode: number }
  | { do: 'replies'; address: string; fromMs: number }
  | { do: 'reached'; addresses: string[]; sinceMs: number; limitMs: number }
  | { do: 'strike'; file: string; strike: Strike | null }
  | { do: 'now' };

/** End of a command. The times are milliseconds since 1970 on the node's own clock. */
export interface RunEnd {
  exitCode: number | null;
  signal: string | null;
  startedAt: number;
  endedAt: number;
  wallMs: number;
  /** User and system time of the command and everything it started (its cgroup's cpu.stat). */
  cpuMs: number;
  /** Largest VmHWM of any of its processes: the kernel's own high-water mark of resident memory. */
  peakRssBytes: number;
  /** Largest RssAnon of any of its processes, read from /proc/PID/status every 10 ms. */
  peakAnonBytes: number;
  /** True if the KillPlan was executed. */
  killed: boolean;
  timedOut: boolean;
}

export interface Reply {
  id: number;
  /** A piece of output of a running command; more replies follow. */
  stream?: 'stdout' | 'stderr';
  text?: string;
  /** Error of the request; the final reply has either `error` or `value`. */
  error?: string;
  value?: unknown;
}
