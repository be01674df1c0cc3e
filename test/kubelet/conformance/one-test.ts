// One of Kubernetes' end-to-end tests on a cluster of test nodes: its own process of e2e.test on the first node.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync, rmSync } from 'node:fs';
import { mortal } from '../../cluster/mortal.ts';
import type { Host } from '../../overlay/hosts.ts';
import { adminKubeconfig, programs } from '../control-plane.ts';
import { e2ePlace } from './e2e-folder.ts';
import { type Outcome, outcomeIn } from './results.ts';

const e2eTest = `${e2ePlace}/e2e.test`;

/** Returns the lines of `e2e.test --list-tests` about networking; all of them are too long for Host.must. */
export function listTests(host: Host): string {
  return host.must('sh', '-c', `${e2eTest} --list-tests | grep -F '[sig-network]'`);
}

/** How a test is run. */
export interface Terms {
  /** After which Ginkgo ends the test, in seconds. */
  readonly limitS: number;
  /** The file that gets what e2e.test prints. */
  readonly log: string;
}

/** Runs the test of this name. Never fails because the test does. */
export async function runTest(host: Host, name: string, { limitS, log }: Terms): Promise<Outcome> {
  const report = `/var/lib/e2e-${process.hrtime.bigint()}.json`;
  const words = [
    e2eTest,
    `--kubeconfig=${adminKubeconfig}`,
    `--kubectl-path=${programs}/kubectl`,
    '--provider=skeleton',
    // The Events of a test that fails are in its log.
    '--dump-logs-on-failure=true',
    // Ginkgo matches a regular expression of Go with the suite's description and the test's name.
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
  // Ginkgo ends a test at its limit, and gives what the test cleans up some time more.
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
