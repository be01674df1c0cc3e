// Program inside of the node: it reads requests from the first serial line and answers there. It imports only modules
// of Node.js, because no other file is copied to the node.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Stop } from '../outage.ts';
import type { Reply, Request, RunEnd, RunRequest, Strike } from '../protocol.ts';

// Interval between two samples of anonymous memory. A heap exists for longer before a garbage collection frees it; for
// resident memory the kernel keeps a high-water mark, which is exact with any interval.
const memoryPollMs = 10;
// Time after the command's exit in which further output is read. Such output comes from processes that the command has
// started and that still run; nothing waits for their end.
const outputGraceMs = 100;
/** Directory in which systemd has the control groups of scopes. */
const sliceDir = '/sys/fs/cgroup/system.slice';

const running = new Map<number, (signal: string) => void>();

function send(reply: Reply): void {
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}

/** Writes to a file of a control group; a missing control group is ignored. */
function control(file: string, text: string): void {
  try {
    fs.writeFileSync(file, text);
  } catch {
    // The failure is ignored: the last process of the control group has ended, so no signal is needed.
  }
}

function readOr(file: string, otherwise: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return otherwise;
  }
}

/** Runs a command in a control group of its own, and reports how it ended. */
function run(id: number, request: RunRequest): Promise<RunEnd> {
  const group = `/sys/fs/cgroup/testnode-${process.pid}-${id}`;
  fs.mkdirSync(group);
  const startedAt = Date.now();
  const childrenBeforeMs = childrenMs();
  const started = process.hrtime.bigint();
  const script = `echo $$ > ${group}/cgroup.procs\n${request.shell}`;
  const child = spawn('/bin/bash', ['-c', script], { cwd: request.cwd, env: request.env, detached: true });
  const peak = { rss: 0, anon: 0 };
  const state = { killed: false, timedOut: false };
  const timers: NodeJS.Timeout[] = [];
  const kill = (signal: string): void => {
    for (const pid of pidsOf(group, child.pid)) {
      try {
        process.kill(Number(pid), signal as NodeJS.Signals);
      } catch {
        // The failure is ignored: the process has ended meanwhile.
      }
    }
    // cgroup.kill also reaches processes that were started meanwhile.
    if (signal === 'SIGKILL') control(`${group}/cgroup.kill`, '1');
  };
  running.set(id, kill);
  if (request.sampleMemory) timers.push(setInterval(() => sampleMemory(pidsOf(group, child.pid), peak), memoryPollMs));
  timers.push(
    setTimeout(() => {
      state.timedOut = true;
      control(`${group}/cgroup.kill`, '1');
    }, request.timeoutMs),
  );
  const plan = request.kill;
  const strike = (): void => {
    timers.push(
      setTimeout(() => {
        state.killed = true;
        kill(plan?.signal ?? 'SIGKILL');
      }, plan?.afterMs ?? 0),
    );
  };
  if (plan !== null && plan.onText === undefined) strike();
  let awaited = plan?.onText;
  let tail = '';
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      if (awaited !== undefined) {
        tail = (tail + text).slice(-100_000);
        if (tail.includes(awaited)) {
          awaited = undefined;
          strike();
        }
      }
      send({ id, stream, text });
    });
  }
  child.stdin.on('error', () => {}); // The error is ignored, because a command need not read its input.
  child.stdin.end(request.stdin);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (exitCode, signal) => {
      const wallMs = Number(process.hrtime.bigint() - started) / 1e6;
      const endedAt = Date.now();
      for (const timer of timers) clearInterval(timer);
      running.delete(id);
      const ownMs = Number(/^usage_usec (\d+)/.exec(readOr(`${group}/cpu.stat`, ''))?.[1] ?? 0) / 1000;
      // The CPU time of an agent that has left the control group is only in the time of ended children.
      const cpuMs = Math.max(ownMs, childrenMs() - childrenBeforeMs);
      const end: RunEnd = {
        exitCode,
        signal,
        startedAt,
        endedAt,
        wallMs,
        cpuMs,
        peakRssBytes: peak.rss,
        peakAnonBytes: peak.anon,
        ...state,
      };
      const finish = (): void => {
        clearTimeout(grace);
        fs.rmdir(group, () => {}); // The control group stays while a process of the command still runs.
        resolve(end);
      };
      const grace = setTimeout(finish, outputGraceMs);
      child.on('close', finish);
    });
  });
}

/**
 * Returns the processes of a command: those in its control group, and an agent that has moved itself into a scope,
 * which is still in the command's session.
 */
function pidsOf(group: string, session: number | undefined): string[] {
  const scopes = fs.readdirSync(sliceDir).filter((name) => /^microshift-net-.*\.scope$/.test(name));
  const moved = scopes.flatMap((scope) => procsOf(`${sliceDir}/${scope}`));
  return [...procsOf(group), ...moved.filter((pid) => sessionOf(pid) === session)];
}

/**
 * Returns the CPU time of all children that have ended: fields 16 and 17 of /proc/PID/stat, in clock ticks of 10 ms.
 */
function childrenMs(): number {
  const text = readOr('/proc/self/stat', '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

function procsOf(group: string): string[] {
  return readOr(`${group}/cgroup.procs`, '').split('\n').filter(Boolean);
}

/** Returns the session of a process: field 6 of /proc/PID/stat (proc_pid_stat(5)), the fourth after the name. */
function sessionOf(pid: string): number {
  const text = readOr(`/proc/${pid}/stat`, '');
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[3]);
}

/** Raises the peaks to the present usage of the group's processes. */
function sampleMemory(pids: readonly string[], peak: { rss: number; anon: number }): void {
  for (const pid of pids) {
    const status = readOr(`/proc/${pid}/status`, '');
    const bytes = (key: string): number => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) * 1024;
    peak.rss = Math.max(peak.rss, bytes('VmHWM'));
    peak.anon = Math.max(peak.anon, bytes('RssAnon'));
  }
}

const pingLog = (address: string): string => `/run/testnode/ping.${address}.log`;

const inMs = (seconds: string | undefined): number => Math.round(Number(seconds) * 1000);

/** Returns the times since a mark at which an address answered the LAN. */
function repliesOf(address: string, fromMs: number): number[] {
  const times = [...readOr(pingLog(address), '').matchAll(/^\d+\.\d+$/gm)].map((match) => inMs(match[0]));
  return times.filter((time) => time >= fromMs);
}

/** Returns the times without a request to an address, because the whole node was paused. */
function stopsOf(address: string, fromMs: number): Stop[] {
  const stops = [...readOr(pingLog(address), '').matchAll(/^stopped (\S+) (\S+)$/gm)].map(([, from, until]) => ({
    fromMs: inMs(from),
    toMs: inMs(until),
  }));
  return stops.filter((stop) => stop.toMs >= fromMs);
}

/** Waits until every address has answered the LAN after a mark; returns the addresses that did not answer in time. */
async function reached(addresses: string[], sinceMs: number, limitMs: number): Promise<{ missing: string[] }> {
  const deadline = Date.now() + limitMs;
  const waits = addresses.map(async (address) => {
    const signal = AbortSignal.timeout(Math.max(1, deadline - Date.now()));
    fs.mkdirSync(path.dirname(pingLog(address)), { recursive: true });
    fs.closeSync(fs.openSync(pingLog(address), 'a')); // The pinger may not have created the file yet.
    if (repliesOf(address, sinceMs).length > 0) return [];
    try {
      for await (const _ of fs.promises.watch(pingLog(address), { signal })) {
        if (repliesOf(address, sinceMs).length > 0) return [];
      }
    } catch (error) {
      if ((error as Error).name !== 'AbortError') throw error;
    }
    return repliesOf(address, sinceMs).length > 0 ? [] : [address];
  });
  return { missing: (await Promise.all(waits)).flat() };
}

let striker: fs.FSWatcher | undefined;

/**
 * Waits until a run is held at the armed fault point, sends the signal to the run, and removes the file of the point
 * (agent/run/fault-points.ts). A new request replaces a signal that still waits; null only cancels it.
 */
function strikeHeld(file: string, strike: Strike | null): Promise<null> {
  striker?.close();
  striker = undefined;
  if (strike === null) return Promise.resolve(null);
  const folder = path.dirname(file);
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const held = fs.readdirSync(folder).find((name) => name.startsWith(`${path.basename(file)}.`));
      if (held === undefined) return;
      watcher.close();
      const pid = Number(held.slice(held.lastIndexOf('.') + 1));
      try {
        if (strike === 'exhaust-memory') exhaustMemory(pid);
        else process.kill(pid, strike === 'kill' ? 'SIGKILL' : 'SIGTERM');
        fs.rmSync(path.join(folder, held), { force: true });
        resolve(null);
      } catch (error) {
        reject(error);
      }
    };
    const watcher = fs.watch(folder, look);
    striker = watcher;
    look();
  });
}

/**
 * Lowers the memory limit of a process's control group below its usage: the kernel kills the process before the write
 * returns (memory.max, cgroups(7)).
 */
function exhaustMemory(pid: number): void {
  const [, group = ''] = /^0::(.*)$/m.exec(fs.readFileSync(`/proc/${pid}/cgroup`, 'utf8')) ?? [];
  const limit = `/sys/fs/cgroup${group}/memory.max`;
  fs.writeFileSync(limit, '4M');
  control(limit, 'max');
}

async function answer(id: number, request: Request): Promise<unknown> {
  switch (request.do) {
    case 'run':
      return run(id, request);
    case 'signal':
      running.get(request.target)?.(request.signal);
      return null;
    case 'read':
      return fs.existsSync(request.path) ? fs.readFileSync(request.path).toString('base64') : null;
    case 'write':
      fs.mkdirSync(path.dirname(request.path), { recursive: true });
      fs.writeFileSync(request.path, Buffer.from(request.base64, 'base64'));
      fs.chmodSync(request.path, request.mode);
      return null;
    case 'replies':
      return { times: repliesOf(request.address, request.fromMs), stops: stopsOf(request.address, request.fromMs) };
    case 'reached':
      return reached(request.addresses, request.sinceMs, request.limitMs);
    case 'strike':
      return strikeHeld(request.file, request.strike);
    case 'now':
      return Date.now();
  }
}

/** Returns the request in a line, or in the file that the line names. */
function requestOf(line: string): { id: number; request: Request } {
  const { id, inbox, ...request } = JSON.parse(line) as Request & { id: number; inbox?: string };
  if (inbox === undefined) return { id, request: request as Request };
  const file = `/testnode/inbox/${inbox}`;
  const long = fs.readFileSync(file, 'utf8');
  fs.unlinkSync(file);
  return requestOf(long);
}

let buffer = '';
process.stdin.setEncoding('utf8').on('data', (text: string) => {
  buffer += text;
  const lines = buffer.split('\n');
  buffer = lines.pop() ?? '';
  for (const line of lines) {
    if (line === '') continue;
    const { id, request } = requestOf(line);
    answer(id, request).then(
      (value) => send({ id, value }),
      (error: Error) => send({ id, error: error.message }),
    );
  }
});
send({ id: 0, value: 'hello' });
