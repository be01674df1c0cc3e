// Repeated ADD and DEL on a real node: measures the duration of ADD, and checks that nothing remains when processes are
// killed at any time.
//   node build/test/overlay/cni-rounds.js [--pods N] [--rounds N] [--seed N]
// --pods: number of pods that are timed one after another, and then four at a time. --rounds: number of ADD and DEL
// pairs, most of which are killed.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import t from 'tap';
import { type CniCluster, sandboxId, startCniCluster } from './cni-cluster.ts';
import { type Daemon, startDaemon } from './daemon.ts';
import type { Host } from './hosts.ts';
import { cni, makeSandbox, missingForPods, ofPods, removeNamespace, type Sandbox, type TestPod } from './pods.ts';

const { values } = parseArgs({
  options: { pods: { type: 'string' }, rounds: { type: 'string' }, seed: { type: 'string' } },
});
/** Rounds between two kills of the daemon, whose start takes a second. */
const roundsPerDaemon = 25;
/** Longest delay of a kill, which is longer than ADD; a late kill hits DEL or nothing. */
const longestMs = 120;

t.test('rounds', { skip: missingForPods() ?? false }, async (t) => {
  const cluster = await startCniCluster(t);
  if (cluster === null) return;
  const [n1, n2] = cluster.hosts;
  await startDaemon(n1);
  const daemon = await startDaemon(n2);
  if (values.pods !== undefined)
    for (const atOnce of [1, 4]) process.stderr.write(`# ${await timed(cluster, n2, Number(values.pods), atOnce)}\n`);
  if (values.rounds !== undefined) {
    const left = await killed(
      cluster,
      n2,
      daemon,
      Number(values.rounds),
      Number(values.seed ?? Date.now() % 1e6),
      (line) => void process.stderr.write(`# ${line}\n`),
    );
    t.strictSame(left, [], 'no link and no port of a pod is left');
  }
});

/**
 * Measures ADD from the start of the plug-in to its end, and returns a line with the figures. All pods have their
 * addresses before.
 */
async function timed(cluster: CniCluster, host: Host, count: number, atOnce: number): Promise<string> {
  const pods: Sandbox[] = [];
  for (let n = 0; n < count; n += 1) pods.push((await cluster.pod(host, `t${atOnce}-${n}`)).sandbox);
  const left = [...pods];
  const times: number[] = [];
  const beganMs = performance.now();
  const worker = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const { status, result, tookMs } = await cni(host, 'ADD', next);
      if (status !== 0) throw new Error(JSON.stringify(result));
      times.push(tookMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const wholeMs = performance.now() - beganMs;
  for (const sandbox of pods) await cni(host, 'DEL', sandbox);
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.ceil(share * count) - 1] ?? 0).toFixed(0);
  return `${count} ADD, ${atOnce} at a time: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, all ${(wholeMs / 1000).toFixed(2)} s`;
}

/**
 * Runs rounds of ADD and DEL, most of which are killed, and prints the remains of each round. Returns the remains after
 * all rounds.
 */
async function killed(
  cluster: CniCluster,
  host: Host,
  first: Daemon,
  rounds: number,
  seed: number,
  say: (line: string) => void,
): Promise<readonly string[]> {
  say(`seed ${seed}`);
  const random = randomFrom(seed);
  const pods: TestPod[] = [];
  for (let n = 0; n < 8; n += 1) pods.push((await cluster.pod(host, `k${n}`)).pod);
  let daemon = first;
  const outcomes = { whole: 0, killed: 0, daemon: 0 };
  for (let round = 1; round <= rounds; round += 1) {
    const pod = pods[round % pods.length] as TestPod;
    const sandbox = makeSandbox(host, sandboxId(), pod);
    const inGroup = ['setsid', 'sh', '-c', 'echo $$ > /run/group; exec "$0"'];
    const adding = cni(host, 'ADD', sandbox, {}, inGroup);
    const what = random() < 1 / roundsPerDaemon ? 'daemon' : random() < 0.8 ? 'group' : 'none';
    if (what !== 'none') await pause(random() * longestMs);
    if (what === 'group') {
      await once(host.start('sh', '-c', 'kill -9 -$(cat /run/group) 2> /dev/null'), 'exit');
      outcomes.killed += 1;
    } else if (what === 'daemon') {
      await once(host.start('kill', '-9', String(daemon.pid)), 'exit');
      await daemon.ended();
      outcomes.daemon += 1;
    } else outcomes.whole += 1;
    await adding;
    const { status, result } = await cni(host, 'DEL', sandbox);
    if (status !== 0) say(`round ${round}: DEL ${JSON.stringify(result)}`);
    const left = ofPods(host);
    if (left.length > 0) say(`round ${round}, ${what}: ${left.join(', ')}`);
    removeNamespace(host, sandbox);
    if (what === 'daemon') daemon = await startDaemon(host);
  }
  say(`${rounds} rounds: ${JSON.stringify(outcomes)}`);
  return ofPods(host);
}

/** Returns a linear congruential generator (Numerical Recipes): the same seed gives the same rounds. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
