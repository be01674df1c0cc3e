// Booted test node: a whole Linux machine with systemd, NetworkManager and Open vSwitch, and a LAN around it that the
// test controls.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { type RunningCommand, type RunOptions, type RunResult, startCommand } from './command.ts';
import { modeOf } from './disk.ts';
import { furnish, withDataPath } from './furnish.ts';
import { type Lan, readLan } from './lan.ts';
import { type Boot, bootMachine, type NodeKernel } from './machine.ts';
import { type Outage, outageBetween, type Replies } from './outage.ts';
import { parseState } from './parse-state.ts';
import type { Request, Strike } from './protocol.ts';
import { type Keeper, openKeeper } from './slot.ts';
import { sourceDir } from './source.ts';
import type { NodeState } from './state.ts';

export interface NodeOptions {
  /** Name of a file in lan/. */
  lan: string;
  /** Shell text that is appended to the LAN file, and overrides its variables or functions. */
  lanAppend?: string;
  /** Files of the node by path, written before its first boot. A file is executable if it begins with "#!". */
  files?: Record<string, string>;
  /** Folders of this machine that are copied to the node before its first boot, by their path in the node. */
  folders?: Record<string, string>;
  /** True if microshift-ovs-init.service starts at every boot. */
  enableUnit?: boolean;
  /** True if only the units that monitor br-ex start, which are a part of enableUnit. */
  enableRepair?: boolean;
  /** True if microshift-net-bridges.service starts at every boot, as with the package; a part of enableUnit. */
  enableBridges?: boolean;
  /** True if the node has neither the agent nor its units, as before the installation of the package. */
  bare?: boolean;
  /** Build of the agent; copied to /usr/share/microshift-net if it exists. */
  dist?: string;
  memory?: string;
  /** Kernel of the node; its own by default. */
  kernel?: NodeKernel;
  /** False if a boot does not wait until the node's addresses answer. */
  waitReady?: boolean;
}

export interface MeasureOptions extends RunOptions {
  /** Time for which the LAN continues to send pings after the node answers again. */
  settleMs?: number;
  /**
   * Time limit for the answers of the node's addresses after the end of the command. The measurement goes on without an
   * answer.
   */
  recoverMs?: number;
  /**
   * True if the peaks of memory are measured every 10 ms, which costs the node more than the rest of the measurement;
   * otherwise the peaks are 0.
   */
  sampleMemory?: boolean;
}

export interface MeasuredRun extends RunResult {
  /** Longest silence by pinged address, in ms; 0 for no silence. */
  outageMs: Record<string, number>;
  /** Sum of the silences by pinged address, in ms. */
  totalOutageMs: Record<string, number>;
  outages: Record<string, Outage>;
  /** By pinged address, true if it answered between the start and the end of the command. */
  answeredMeanwhile: Record<string, boolean>;
  /**
   * Time from the end of the command until every awaited address had answered; null if this took longer than the limit.
   */
  recoveredAfterMs: number | null;
}

/** Shortest run during which an answer is required: several intervals of the LAN's pings, also on a busy machine. */
const shortestJudgedMs = 500;
const requestLimitMs = 30_000;
const strikeLimitMs = 180_000;
const defaultSettleMs = 500;
/**
 * Time in which late actions of NetworkManager (dispatcher, duplicate address detection, a second activation) become
 * visible, for measurements of silences.
 */
export const measuredSettleMs = 2000;
const defaultRecoverMs = 30_000;
/** Boots a node and waits until its addresses answer from the LAN. */
export async function bootNode(options: NodeOptions): Promise<TestNode> {
  const lan = readLan(options.lan, options.lanAppend);
  const base = execFileSync(path.join(sourceDir, 'build-base.sh'), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
  const keeper = await openKeeper(base, path.dirname(base));
  let boot: Boot | undefined;
  try {
    furnish(keeper.root, lan, options);
    boot = await startBoot(keeper, 1, options);
    const node = new TestNode(lan, keeper, boot, options);
    if (options.waitReady !== false) await node.ready();
    return node;
  } catch (error) {
    // A machine that still runs would keep the test's process alive until the limit of the file.
    await boot?.cut();
    await keeper.release();
    throw error;
  }
}

function startBoot(
  keeper: Keeper,
  number: number,
  { memory = '1G', kernel = 'user-mode' }: NodeOptions,
): Promise<Boot> {
  return bootMachine(keeper, number, memory, kernel);
}

export class TestNode {
  readonly lan: Lan;
  /** Wall time of each boot until the node accepted commands, in ms. */
  readonly bootMs: number[] = [];
  #keeper: Keeper;
  #boot: Boot;
  #options: NodeOptions;
  #halted: Promise<void> | undefined;

  constructor(lan: Lan, keeper: Keeper, boot: Boot, options: NodeOptions) {
    this.lan = lan;
    this.#keeper = keeper;
    this.#boot = boot;
    this.#options = options;
    this.bootMs.push(boot.helloMs);
  }

  /** Runs shell text in the node and waits for its end. */
  run(shell: string, options: RunOptions = {}): Promise<RunResult> {
    return startCommand(this.#boot.wire, shell, options, false).ended;
  }

  /** Runs shell text, which must exit with 0, and returns its output without the last newline. */
  async text(shell: string, options: RunOptions = {}): Promise<string> {
    const end = await this.run(shell, options);
    if (end.exitCode !== 0) {
      throw new Error(`test node: "${shell}" ended with ${end.exitCode ?? end.signal}\n${end.stdout}${end.stderr}`);
    }
    return end.stdout.replace(/\n$/, '');
  }

  /** Starts shell text and returns at once. */
  start(shell: string, options: RunOptions = {}): RunningCommand {
    return startCommand(this.#boot.wire, shell, options, false);
  }

  /** Runs shell text, and measures its cost and the outage of the node as the LAN sees it. */
  async measure(shell: string, options: MeasureOptions = {}): Promise<MeasuredRun> {
    const end = await startCommand(this.#boot.wire, shell, options, options.sampleMemory ?? false).ended;
    const { missing } = await this.#reached(this.lan.awaited, end.endedAt, options.recoverMs ?? defaultRecoverMs);
    const recoveredAt = await this.now();
    await new Promise((resolve) => setTimeout(resolve, options.settleMs ?? defaultSettleMs));
    const outages = await this.outages(end.startedAt, await this.now());
    const meanwhile = await this.outages(end.startedAt, end.endedAt);
    const each = <T>(of: Record<string, Outage>, pick: (outage: Outage) => T): Record<string, T> =>
      Object.fromEntries(Object.entries(of).map(([address, outage]) => [address, pick(outage)]));
    return {
      ...end,
      outages,
      outageMs: each(outages, (outage) => outage.longestMs),
      totalOutageMs: each(outages, (outage) => outage.totalMs),
      // The LAN cannot ping during a command that ends between two pings.
      answeredMeanwhile: each(meanwhile, (outage) => outage.replies > 0 || end.wallMs < shortestJudgedMs),
      recoveredAfterMs: missing.length > 0 ? null : recoveredAt - end.endedAt,
    };
  }

  /**
   * Sends a signal to the run at the armed fault point as soon as a run is held there, in the background; null cancels
   * an earlier request.
   */
  strikeHeld(file: string, strike: Strike | null): void {
    const what = `a run to stand at ${file}`;
    // The failure is ignored: no run has reached the point, or the node is off.
    this.#boot.wire.ask<null>({ do: 'strike', file, strike }, strikeLimitMs, what).value.catch(() => {});
  }

  /** Returns the node's clock in ms since 1970, as a mark for outages(). */
  now(): Promise<number> {
    return this.#ask({ do: 'now' }, 'the time');
  }

  /** Returns the outages of every pinged address between two marks of one boot, as the LAN measured them. */
  async outages(fromMs: number, toMs: number): Promise<Record<string, Outage>> {
    const found: Record<string, Outage> = {};
    for (const address of this.lan.pinged) {
      // Earlier replies are included, to show whether a silence began before the mark.
      const replies = await this.#ask<Replies>(
        { do: 'replies', address, fromMs: fromMs - 5000 },
        `the replies of ${address}`,
      );
      found[address] = outageBetween(replies, fromMs, toMs, this.lan.pingMs);
    }
    return found;
  }

  /**
   * Waits until the node's addresses answer and the other conditions of its LAN are met; returns the elapsed time in
   * ms.
   */
  async ready(limitMs: number = this.lan.readyLimitMs): Promise<number> {
    const since = await this.now();
    const { missing } = await this.#reached(this.lan.awaited, since, limitMs);
    if (missing.length > 0 && limitMs >= 10_000) {
      const state = await this.text('ip -br addr; nmcli device; tail -n 20 /run/testnode/net.log');
      throw new Error(`test node: waited ${limitMs / 1000} s for ${missing.join(' and ')} to answer the LAN\n${state}`);
    }
    await this.callLan('ready', 120_000);
    return (await this.now()) - since;
  }

  /** Calls a function of the LAN file (`before_cmd`, `ready`) if the file has it. */
  async callLan(name: string, timeoutMs = 120_000): Promise<void> {
    if (!new RegExp(`^ *${name}\\(\\)`, 'm').test(this.lan.script)) return;
    await this.text(`. /testnode/lib.sh; . /testnode/lan.sh; ${name}`, { timeoutMs });
  }

  /** Returns the content of a file of the node; null if the file does not exist. */
  async read(file: string): Promise<string | null> {
    const base64 = await this.#ask<string | null>({ do: 'read', path: file }, `${file} to be read`);
    return base64 === null ? null : Buffer.from(base64, 'base64').toString('utf8');
  }

  /**
   * Writes a file of the node, executable if it begins with "#!"; ovn.yaml gets the data path that the node's kernel
   * allows.
   */
  async write(file: string, text: string | Buffer): Promise<void> {
    const mode = typeof text === 'string' ? modeOf(text) : 0o644;
    const whole = typeof text === 'string' ? withDataPath(this.#options.kernel, file, text) : text;
    await this.#ask(
      { do: 'write', path: file, base64: Buffer.from(whole).toString('base64'), mode },
      `${file} to be written`,
    );
  }

  /** Returns a snapshot of the node's network; only `whole` has the settings of profiles and the routing rules. */
  async state(extent: 'whole' | 'brief' = 'brief'): Promise<NodeState> {
    return parseState(await this.text(`bash /testnode/state.sh ${extent}`, { timeoutMs: 60_000 }));
  }

  /** Returns the journal of this boot, or only the entries of a unit. */
  journal(unit?: string): Promise<string> {
    return this.text(`journalctl -b -o short-monotonic --no-pager ${unit === undefined ? '' : `-u ${unit}`}`);
  }

  /** Reboots the node; returns the time from power on until its addresses answered, in ms. */
  async reboot(): Promise<number> {
    await this.powerOff();
    return this.boot();
  }

  /**
   * Cuts the power and boots the same disk again; returns the time from power on until the node's addresses answered,
   * in ms.
   */
  async powerCut(): Promise<number> {
    await this.cut();
    return this.boot();
  }

  /** Turns the node off; boot() starts the same disk again. */
  async powerOff(): Promise<void> {
    this.start('systemctl poweroff').ended.catch(() => {}); // The error is ignored: the command ends its connection.
    await this.#boot.off();
  }

  /** Cuts the power; boot() starts the same disk again. */
  async cut(): Promise<void> {
    await this.#boot.cut();
  }

  /** Boots the disk again after powerOff() or cut(). */
  async boot(): Promise<number> {
    const started = performance.now();
    this.#boot = await startBoot(this.#keeper, this.#boot.number + 1, this.#options);
    this.bootMs.push(this.#boot.helloMs);
    if (this.#options.waitReady !== false) await this.ready();
    return performance.now() - started;
  }

  /** Returns the second serial line, /dev/ttyS1 in the node. */
  get interactive(): Duplex {
    return this.#boot.interactive;
  }

  /** Ends the node and drops its disk; may be called more than once. */
  halt(): Promise<void> {
    this.#halted ??= this.#boot.cut().then(() => this.#keeper.release());
    return this.#halted;
  }

  #reached(addresses: string[], sinceMs: number, limitMs: number): Promise<{ missing: string[] }> {
    const request: Request = { do: 'reached', addresses, sinceMs, limitMs };
    return this.#boot.wire.ask<{ missing: string[] }>(request, limitMs + requestLimitMs, 'the LAN to report').value;
  }

  #ask<T>(request: Request, what: string): Promise<T> {
    return this.#boot.wire.ask<T>(request, requestLimitMs, what).value;
  }
}
