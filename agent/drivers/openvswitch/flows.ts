import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { AgentError } from '../../errors.ts';
import { type Finished, run } from '../host/exec.ts';
import { vswitchdNotResponding } from './errors.ts';

/** ovs-vswitchd answers in milliseconds unless its main loop is stuck; 15 s allow for one that has just started with many bridges. */
const answerMs = 15_000;
/** Flows of tens of thousands of services are some megabytes, which take it seconds. */
const bundleMs = 60_000;

/** Bundles came with this version (ovs-ofctl(8), --bundle); the names of ports are left aside, because a port may have any. */
const options = ['-O', 'OpenFlow14', '--no-names'];

/** Flows of one cookie on a bridge; others are never touched. Failures are AgentErrors (`vswitchd-not-responding`, `step-failed`). */
export interface BridgeFlows {
  /** What ovs-vswitchd has otherwise than these flows, in its own words. Nothing is written. */
  compare(flows: readonly string[]): Promise<FlowDifference>;
  /** These flows and no others, or the old ones: one bundle of OpenFlow, in this order. */
  replace(flows: readonly string[]): Promise<void>;
}

export interface FlowDifference {
  readonly missing: readonly string[];
  readonly surplus: readonly string[];
}

/** The flows with this cookie (`0x…`) on a bridge, by ovs-ofctl(8). */
export function flowsOf(bridge: string, cookie: string, runDirectory: string): BridgeFlows {
  const switchSocket = `unix:${runDirectory}/${bridge}.mgmt`;
  return {
    compare: async (flows) => {
      const wanted = linesOf(flows.map((flow) => `cookie=${cookie},${flow}`));
      const found = await withFile(wanted, (file) =>
        run('ovs-ofctl', [...options, 'diff-flows', switchSocket, file], answerMs),
      );
      // 2: they differ (ovs-ofctl(8), diff-flows).
      if (found.exitCode !== 0 && found.exitCode !== 2) throw failure(`compare the flows of ${bridge}`, found);
      const lines = found.stdout.split('\n').filter((line) => line.includes(` cookie=${cookie} `));
      const starting = (sign: string): string[] =>
        lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1).replace(` cookie=${cookie}`, ''));
      return { missing: starting('+'), surplus: starting('-') };
    },
    replace: async (flows) => {
      const commands = [`delete cookie=${cookie}/-1`, ...flows.map((flow) => `add cookie=${cookie},${flow}`)];
      const words = [...options, '--bundle', 'add-flows', switchSocket, '-'];
      const done = await run('ovs-ofctl', words, bundleMs, { input: linesOf(commands) });
      if (done.exitCode !== 0) throw failure(`change the flows of ${bridge}`, done);
    },
  };
}

/** diff-flows takes a file by its path only, and cannot open the socket that a child's standard input is. Nobody else may enter the folder. */
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
