import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { AgentError } from '../../errors.ts';
import { type Finished, run } from '../host/process/exec.ts';
import { vswitchdNotResponding } from './ovs-errors.ts';

/**
 * Time limit for an answer of ovs-vswitchd. It answers in milliseconds unless its main loop is stuck; 15 s allow for a
 * start with many bridges.
 */
const answerMs = 15_000;
/**
 * Time limit for an OpenFlow bundle. The flows of tens of thousands of services are some megabytes, which take seconds.
 */
const bundleMs = 60_000;

/**
 * Options of ovs-ofctl. OpenFlow 1.4 is the first version with bundles (ovs-ofctl(8), --bundle). Ports are written as
 * numbers, because the name of a port may contain any character.
 */
const options = ['-O', 'OpenFlow14', '--no-names'];

/**
 * Flows of one cookie on a bridge; flows of other cookies are never changed. Failures are AgentErrors
 * (`vswitchd-not-responding`, `step-failed`).
 */
export interface BridgeFlows {
  /**
   * Compares the flows in ovs-vswitchd with `flows`, which are in the notation of ovs-ofctl. Returns the flows that
   * only `flows` contains (`missing`) and those that only ovs-vswitchd has (`stale`). Writes nothing.
   */
  compare(flows: readonly string[]): Promise<FlowDifference>;
  /**
   * Replaces the flows of the cookie by `flows`, in this order, in one OpenFlow bundle. After a failure, the old flows
   * stay.
   */
  replace(flows: readonly string[]): Promise<void>;
}

export interface FlowDifference {
  readonly missing: readonly string[];
  readonly stale: readonly string[];
}

/** Returns access, through ovs-ofctl(8), to the flows on a bridge that have this cookie (`0x…`). */
export function flowsOf(bridge: string, cookie: string, runDirectory: string): BridgeFlows {
  const switchSocket = `unix:${runDirectory}/${bridge}.mgmt`;
  return {
    compare: async (flows) => {
      const wanted = linesOf(flows.map((flow) => `cookie=${cookie},${flow}`));
      const found = await withFile(wanted, (file) =>
        run('ovs-ofctl', [...options, 'diff-flows', switchSocket, file], answerMs),
      );
      // Exit status 2 means that the flows differ (ovs-ofctl(8), diff-flows).
      if (found.exitCode !== 0 && found.exitCode !== 2) throw failure(`compare the flows of ${bridge}`, found);
      const lines = found.stdout.split('\n').filter((line) => line.includes(` cookie=${cookie} `));
      const starting = (sign: string): string[] =>
        lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1).replace(` cookie=${cookie}`, ''));
      return { missing: starting('+'), stale: starting('-') };
    },
    replace: async (flows) => {
      const commands = [`delete cookie=${cookie}/-1`, ...flows.map((flow) => `add cookie=${cookie},${flow}`)];
      const words = [...options, '--bundle', 'add-flows', switchSocket, '-'];
      const done = await run('ovs-ofctl', words, bundleMs, { input: linesOf(commands) });
      if (done.exitCode !== 0) throw failure(`change the flows of ${bridge}`, done);
    },
  };
}

/**
 * Runs `work` with a temporary file that contains a text, in a directory that only this user can enter. The command
 * diff-flows of ovs-ofctl(8) accepts only a path. The path /dev/stdin would not work: Node.js gives a program a socket
 * as its standard input, and a socket cannot be opened by path.
 */
async function withFile<T>(text: string, work: (path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(`${tmpdir()}/microshift-net-flows-`);
  try {
    writeFileSync(`${folder}/wanted`, text);
    return await work(`${folder}/wanted`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function failure(what: string, { stderr, failure: words }: Finished): AgentError {
  const said = stderr.trim();
  if (said === '' || /connecting to|connection|timed out/i.test(said))
    return vswitchdNotResponding(`could not ${what}: ${said || words}`);
  return new AgentError('step-failed', `ovs-vswitchd refused to ${what}: ${said}`, {
    hint: 'look at /var/log/openvswitch/ovs-vswitchd.log for why',
    facts: { doing: what },
  });
}
