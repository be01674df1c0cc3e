// npm run conformance: Kubernetes' own end-to-end tests on two nodes with this agent as their network.
// docs/lab/overlay-conformance.md.
//   npm run conformance -- [--group conformance,policies] [--only TEXT] [--at-once 3] [--limit-seconds 600] [--missing] [--page]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { scoped } from '../../overlay/bench/scope.ts';
import type { Host } from '../../overlay/hosts.ts';
import { type Cluster, startCluster } from '../kubelet-cluster.ts';
import { kubeletSkip } from '../kubelet-skip.ts';
import { publish } from './conformance-page.ts';
import { e2eFolder, e2ePlace, missingForConformance } from './e2e-folder.ts';
import { listTests, runTest } from './one-test.ts';
import { addResult, readResults } from './results.ts';
import { type Group, groupNames, listedTests, runsAlone, testsOf } from './selection.ts';

const { values: options } = parseArgs({
  options: {
    group: { type: 'string', default: 'conformance,policies' },
    only: { type: 'string', multiple: true, default: [''] },
    'at-once': { type: 'string', default: '3' },
    'limit-seconds': { type: 'string', default: '600' },
    missing: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    results: { type: 'string', default: 'build/conformance.jsonl' },
    logs: { type: 'string', default: 'build/conformance' },
  },
});
const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  if (options.page) {
    publish(readResults(options.results));
    return;
  }
  const missing = missingForConformance() ?? (kubeletSkip || null);
  if (missing !== null) throw new Error(missing);
  mkdirSync(options.logs, { recursive: true });
  await scoped(async (scope) => {
    const cluster = await startCluster({ ...scope, tell: () => undefined }, [`${e2eFolder}=${e2ePlace}`]);
    prepare(cluster);
    const names = chosen(listTests(cluster.nodes[0].host));
    say(`${names.length} tests`);
    await runAll(cluster, names);
  });
}

/** Imports the images of the tests, and starts a DNS server if the folder has one. */
function prepare({ nodes, kubectl }: Cluster): void {
  for (const { host } of nodes)
    host.must('/opt/containerd/bin/ctr', '-n', 'k8s.io', 'images', 'import', `${e2ePlace}/images.tar`);
  if (nodes[0].host.run(['test', '-e', `${e2ePlace}/dns.yaml`]).status !== 0) return;
  kubectl('apply', '-f', `${e2ePlace}/dns.yaml`);
  kubectl('wait', '-n', 'kube-system', '--for=condition=Ready', 'pod', '-l', 'k8s-app=kube-dns', '--timeout=110s');
}

/** Returns the names of the tests to run; with --missing, only of tests without a result. */
function chosen(printed: string): readonly string[] {
  const listed = listedTests(printed);
  const known = new Set(options.missing ? readResults(options.results).map(({ name }) => name) : []);
  return options.group
    .split(',')
    .flatMap((group) => testsOf(groupNamed(group), listed))
    .filter((name) => options.only.some((text) => name.includes(text)) && !known.has(name));
}

function groupNamed(name: string): Group {
  const group = groupNames.find((each) => each === name);
  if (group === undefined) throw new Error(`no group ${name}: there are ${groupNames.join(', ')}`);
  return group;
}

async function runAll({ nodes: [{ host }], kubectl }: Cluster, names: readonly string[]): Promise<void> {
  const kubernetes = (JSON.parse(kubectl('get', '--raw', '/version')) as { gitVersion: string }).gitVersion;
  const ovn = ovnOf(host);
  const runOne = async (name: string): Promise<void> => {
    const log = join(options.logs, `${name.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 200)}.log`);
    const outcome = await runTest(host, name, { limitS: Number(options['limit-seconds']), log });
    addResult(options.results, { name, ...outcome, kubernetes, ovn, date: new Date().toISOString().slice(0, 10) });
    say(`${outcome.state} ${outcome.seconds} s ${name}`);
    if (outcome.said !== '') say(`  ${outcome.said.split('\n')[0]}`);
  };
  const waiting = names.filter((name) => !runsAlone(name));
  const take = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await runOne(name);
  };
  await Promise.all(Array.from({ length: Number(options['at-once']) }, take));
  for (const name of names.filter(runsAlone)) await runOne(name);
}

/** Returns the release of OVN, such as 26.03.0. */
function ovnOf(host: Host): string {
  return /\d+\.\d+\.\d+/.exec(host.must('ovn-controller', '--version'))?.[0] ?? 'unknown';
}

await main();
