// Runs one of Kubernetes' end-to-end tests on a cluster of test nodes, as a separate process of e2e.test on the first
// node.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync, rmSync } from 'node:fs';
import { mortal } from '../../cluster/mortal.ts';
import type { Host } from '../../overlay/hosts.ts';
import { adminKubeconfig, programs } from '../control-plane.ts';
import { e2ePlace } from './e2e-folder.ts';
import { type Outcome, outcomeIn } from './results.ts';

const e2eTest = `${e2ePlace}/e2e.test`;

/** Returns the lines of `e2e.test --list-tests` about networking; the complete list is too long for Host.must. */
export function listTests(host: Host): string {
  return host.must('sh', '-c', `${e2eTest} --list-tests | grep -F '[sig-network]'`);
}

/** Options for the run of one test. */
export interface Terms {
  /** Time limit of Ginkgo for the test, in seconds. */
  readonly limitS: number;
  /** File for the output of e2e.test. */
  readonly log: string;
}

/** Runs the test with this name, and returns its result. Does not fail if the test fails. */
export async function runTest(host: Host, name: string, { limitS, log }: Terms): Promise<Outcome> {
  const report = `/var/lib/e2e-${process.hrtime.bigint()}.json`;
  const words = [
    e2eTest,
    `--kubeconfig=${adminKubeconfig}`,
    `--kubectl-path=${programs}/kubectl`,
    '--provider=skeleton',
    // The log of a failed test includes the Events.
    '--dump-logs-on-failure=true',
    // Ginkgo matches the suite's description and the test's name with a regular expression of Go.
    `--ginkgo.focus=\\Q ${name}\\E$`,
    `--ginkgo.timeout=${limitS}s`,
    `--ginkgo.json-report=${report}`,
    '--ginkgo.no-color',
    '--ginkgo.v',
  ];
  const environment = ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'GOMAXPROCS=1'];
  const enter = ['nsenter', '-m', '-n', '-u', '-p', '-r', '-w', '-t', String(host.pid)];
  const [program, ...rest] = mortal([...enter, ...environment, ...words]);
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  const file = createWriteStream(log);
  for (const stream of [child.stdout, child.stderr]) stream.pipe(file, { end: false });
  // Ginkgo ends a test at its limit, and then grants more time for the test's cleanup.
  const killer = setTimeout(() => child.kill('SIGKILL'), (limitS + 120) * 1000);
  await once(child, 'close');
  clearTimeout(killer);
  file.end();
  try {
    return outcomeIn(JSON.parse(readFileSync(host.path(report), 'utf8')), name);
  } catch (error) {
    return { state: 'unfinished', seconds: limitS, said: `e2e.test left no report: ${String(error)}` };
  } finally {
    rmSync(host.path(report), { force: true });
  }
}
