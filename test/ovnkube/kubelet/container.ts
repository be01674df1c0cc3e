// Runs one container: its process, its probes, and its restarts.
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from './kubelet-requests.ts';
import { isGood, runInside } from './probes.ts';
import { expand } from './values.ts';

/**
 * Pause of the kubelet before the second restart of a container; the first restart has no pause, and each later pause
 * is twice the last one.
 */
const firstBackoffMs = 10_000;
/** Longest pause before a restart. */
const longestBackoffMs = 300_000;
/** Running time after which the pause before a restart is reset to the shortest one. */
const forgivenAfterMs = 600_000;

export interface ContainerState {
  readonly name: string;
  readonly pid: number | null;
  readonly ready: boolean;
  readonly restartCount: number;
}

export interface Container {
  state(): ContainerState;
  /** Ends the container like a container of a deleted pod: preStop, SIGTERM, and SIGKILL after the grace period. */
  stop(graceSeconds: number): Promise<void>;
}

interface ContainerParts {
  readonly spec: Json;
  /** Number of starts before the node was switched off. */
  readonly earlierStarts: number;
  /** Folder of the container's layer over the root file system. */
  readonly folder: string;
  readonly places: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly changed: () => void;
}

/** Starts a container and keeps it running until it is stopped. */
export function startContainer({
  spec,
  earlierStarts,
  folder,
  places,
  environment,
  changed,
}: ContainerParts): Container {
  const own = join(folder, spec.name);
  const group = `/sys/fs/cgroup/kubelet-${spec.name}`;
  const log = createWriteStream(`/var/log/kubelet/${spec.name}.log`, { flags: 'a' });
  const words = [...(spec.command ?? []), ...(spec.args ?? [])].map((word: string) => expand(word, environment));
  const mounts = [...(spec.volumeMounts ?? [])]
    .sort((a: Json, b: Json) => a.mountPath.localeCompare(b.mountPath))
    .flatMap(({ name, subPath = '', mountPath, readOnly }: Json) => {
      return [join(places[name] ?? '', subPath), mountPath, readOnly === true ? 'ro' : 'rw'];
    });
  let child: ChildProcess | null = null;
  let ended: Promise<void> = Promise.resolve();
  let ready = false;
  let restartCount = earlierStarts;
  let backoffMs = 0;
  let timers: NodeJS.Timeout[] = [];
  let stopping = false;

  const tell = (nowReady: boolean): void => {
    ready = nowReady;
    changed();
  };
  const killAll = (): void => writeFileSync(join(group, 'cgroup.kill'), '1');

  const exec = (command: readonly string[], seconds: number): Promise<number | null> =>
    child?.pid === undefined ? Promise.resolve(null) : runInside(child.pid, command, environment, seconds);

  /**
   * Runs the probe periodically while the process runs; calls `judge` after each success, and after enough failures in
   * a row.
   */
  const probe = (of: Json, judge: (good: boolean) => void): void => {
    if (of === undefined) return;
    const asked = child;
    let failures = 0;
    const ask = async (): Promise<void> => {
      const good = await isGood(of, exec);
      if (asked !== child) return;
      failures = good ? 0 : failures + 1;
      if (good || failures >= (of.failureThreshold ?? 3)) judge(good);
      timers.push(setTimeout(ask, (of.periodSeconds ?? 10) * 1000));
    };
    timers.push(setTimeout(ask, (of.initialDelaySeconds ?? 0) * 1000));
  };

  const note = (text: string): void => void log.write(`kubelet: ${text}\n`);

  const run = (): void => {
    rmSync(own, { recursive: true, force: true }); // Files outside of volumes do not survive a restart.
    mkdirSync(own, { recursive: true });
    mkdirSync(group, { recursive: true });
    const script = join(import.meta.dirname, 'launch.sh');
    const launch = ['--mount', '--propagation', 'slave', 'bash', script, group, own, ...mounts, '--', ...words];
    const started = Date.now();
    const process = spawn('unshare', launch, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    child = process;
    process.stdout.pipe(log, { end: false });
    process.stderr.pipe(log, { end: false });
    note(`started, process ${process.pid}`);
    if (spec.readinessProbe === undefined) tell(true);
    else probe(spec.readinessProbe, (good) => good !== ready && tell(good));
    probe(spec.livenessProbe, (good) => {
      if (good) return;
      note('the liveness probe has failed');
      void end(30);
    });
    ended = new Promise((resolve) => {
      process.once('exit', (code, signal) => {
        note(`ended with ${code ?? signal}`);
        for (const timer of timers) clearTimeout(timer);
        timers = [];
        child = null;
        killAll();
        tell(false);
        resolve();
        if (stopping) return;
        if (Date.now() - started > forgivenAfterMs) backoffMs = 0;
        const pauseMs = backoffMs;
        backoffMs = Math.min(Math.max(firstBackoffMs, backoffMs * 2), longestBackoffMs);
        timers.push(
          setTimeout(() => {
            restartCount += 1;
            run();
            changed();
          }, pauseMs),
        );
      });
    });
  };

  const end = async (graceSeconds: number): Promise<void> => {
    const deadline = setTimeout(killAll, graceSeconds * 1000);
    const preStop = spec.lifecycle?.preStop?.exec;
    if (preStop !== undefined) {
      const code = await exec(preStop.command, graceSeconds);
      note(`preStop ended with ${code}`);
    }
    child?.kill('SIGTERM');
    await ended;
    clearTimeout(deadline);
  };

  run();
  return {
    state: () => ({ name: spec.name, pid: child?.pid ?? null, ready, restartCount }),
    stop: async (graceSeconds) => {
      stopping = true;
      for (const timer of timers) clearTimeout(timer);
      await end(graceSeconds);
      try {
        rmdirSync(group);
      } catch {
        // A process of the container still runs in the control group.
      }
    },
  };
}
