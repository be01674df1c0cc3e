// The booted test node: a whole Linux machine with systemd, NetworkManager and Open vSwitch, a LAN around it, and a
// test that holds the cable.
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
  /** Shell text after the LAN file: overrides its variables or functions. */
  lanAppend?: string;
  /** Files of the node by path, written before its first boot. Executable when they begin with "#!". */
  files?: Record<string, string>;
  /** Folders of this machine to copy into the node before its first boot: path in the node by path here. */
  folders?: Record<string, string>;
  /** Start microshift-ovs-init.service at every boot, from the first. */
  enableUnit?: boolean;
  /** Only what looks after br-ex when NetworkManager restarts; a part of enableUnit. */
  enableRepair?: boolean;
  /** Start microshift-net-bridges.service at every boot, as the package lets it; a part of enableUnit. */
  enableBridges?: boolean;
  /** Without the agent and its units: as before its package is installed. */
  bare?: boolean;
  /** The agent's build; copied to /usr/share/microshift-net when it exists. */
  dist?: string;
  memory?: string;
  /** One of its own where none is named. */
  kernel?: NodeKernel;
  /** Do not wait until the node's addresses answer. */
  waitReady?: boolean;
}

export interface MeasureOptions extends RunOptions {
  /** How long the LAN goes on watching after the node answers again. */
  settleMs?: number;
  /** Within which the node's addresses must answer after the end of the command; they need not. */
  recoverMs?: number;
  /**
   * Measures the peaks of memory, every 10 ms, which costs the node more than the rest of the measurement. Otherwise
   * they are 0.
   */
  sampleMemory?: boolean;
}

export interface MeasuredRun extends RunResult {
  /** Longest silence by pinged address, in ms; 0: none. */
  outageMs: Record<string, number>;
  /** All silences together by pinged address, in ms. */
  totalOutageMs: Record<string, number>;
  outages: Record<string, Outage>;
  /** Whether each pinged address answered between the start and the end of the command. */
  answeredMeanwhile: Record<string, boolean>;
  /** From the end of the command until every awaited address had answered; null when that did not happen in time. */
  recoveredAfterMs: number | null;
}

/** Several intervals of the LAN's pings and their round trip on a busy machine. */
const shortestJudgedMs = 200;
const requestLimitMs = 30_000;
const strikeLimitMs = 180_000;
const defaultSettleMs = 500;
/**
 * Time within which late actions of NetworkManager (dispatcher, DAD, a second activation) show, for measurements of
 * silences.
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
    // A machine that goes on would keep the test's process alive until the limit of the file.
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
  /** Wall time of each boot until the node took commands, in ms. */
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

  /** Runs shell text that must end with 0, and gives its output without the last newline. */
  async text(shell: string, options: RunOptions = {}): Promise<string> {
    const end = await this.run(shell, options);
    if (end.exitCode !== 0) {
      throw new Error(`test node: "${shell}" ended with ${end.exitCode ?? end.signal}\n${end.stdout}${end.stderr}`);
    }
    return end.stdout.replace(/\n$/, '');
  }

  /** Starts shell text and comes back at once. */
  start(shell: string, options: RunOptions = {}): RunningCommand {
    return startCommand(this.#boot.wire, shell, options, false);
  }

  /** Runs shell text while the LAN watches: how long was the node away, and what did the command cost? */
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
      // A command that ends between two questions of the LAN cannot be answered meanwhile.
      answeredMeanwhile: each(meanwhile, (outage) => outage.replies > 0 || end.wallMs < shortestJudgedMs),
      recoveredAfterMs: missing.length > 0 ? null : recoveredAt - end.endedAt,
    };
  }

  /**
   * Strikes the run that stands at the armed fault point, as soon as one does, in the background; null calls an earlier
   * strike off.
   */
  strikeHeld(file: string, strike: Strike | null): void {
    const what = `a run to stand at ${file}`;
    // none came, or the node is off
    this.#boot.wire.ask<null>({ do: 'strike', file, strike }, strikeLimitMs, what).value.catch(() => {});
  }

  /** The node's clock, ms since 1970: a mark for outages(). */
  now(): Promise<number> {
    return this.#ask({ do: 'now' }, 'the time');
  }

  /** Outages of every pinged address, as the LAN measured them between two marks of one boot. */
  async outages(fromMs: number, toMs: number): Promise<Record<string, Outage>> {
    const found: Record<string, Outage> = {};
    for (const address of this.lan.pinged) {
      // from earlier on, to know whether a silence had begun before the mark
      const replies = await this.#ask<Replies>(
        { do: 'replies', address, fromMs: fromMs - 5000 },
        `the replies of ${address}`,
      );
      found[address] = outageBetween(replies, fromMs, toMs, this.lan.pingMs);
    }
    return found;
  }

  /** Waits until the node's addresses answer from now on, and for what else its LAN asks; gives the ms that took. */
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

  /** Calls a function of the LAN file (`before_cmd`, `ready`) when it has it. */
  async callLan(name: string, timeoutMs = 120_000): Promise<void> {
    await this.text(`. /testnode/lib.sh; . /testnode/lan.sh; if declare -F ${name} > /dev/null; then ${name}; fi`, {
      timeoutMs,
    });
  }

  /** Contents of a file of the node; null if it does not exist. */
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

  /** A snapshot of the node's network. */
  async state(): Promise<NodeState> {
    return parseState(await this.text('bash /testnode/state.sh', { timeoutMs: 60_000 }));
  }

  /** The journal of this boot. */
  journal(unit?: string): Promise<string> {
    return this.text(`journalctl -b -o short-monotonic --no-pager ${unit === undefined ? '' : `-u ${unit}`}`);
  }

  /** Orderly reboot; gives the ms until the node's addresses answered, counted from power on. */
  async reboot(): Promise<number> {
    await this.powerOff();
    return this.boot();
  }

  /**
   * Pulls the plug and boots the same disk again; gives the ms until the node's addresses answered, counted from power
   * on.
   */
  async powerCut(): Promise<number> {
    await this.cut();
    return this.boot();
  }

  /** Orderly power off; boot() starts the same disk again. */
  async powerOff(): Promise<void> {
    this.start('systemctl poweroff').ended.catch(() => {}); // cut off by what it does
    await this.#boot.off();
  }

  /** Pulls the plug; boot() starts the same disk again. */
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

  /** The second serial line, /dev/ttyS1 in the node. */
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
