// npm run soak:overlay: workloads are created and removed on a cluster of two nodes with a real API server, while its
// processes are killed. Fails if anything remains.
//   npm run soak:overlay -- [--minutes 60] [--pods 8] [--json FILE]
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import t from 'tap';
import { trendsOf } from '../../node/soak/trend.ts';
import type { Usage } from '../../node/soak/usage.ts';
import { startCniCluster } from '../cni-cluster.ts';
import { type Daemon, startAsUnit } from '../daemon.ts';
import { type Host, missingForHosts } from '../hosts.ts';
import { ofPods } from '../pods.ts';
import { usageOf } from './cluster-usage.ts';
import { type Deployed, deploy } from './deploy.ts';
import { openRows } from './rows.ts';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    pods: { type: 'string', default: '8' },
    json: { type: 'string' },
  },
});
const msPerMinute = 60_000;
/** Share of the cycles without faults that does not count for the trends. */
const warmUpShare = 0.2;

t.setTimeout(0);
t.test('soak', { skip: missingForHosts() ?? false }, async (t) => {
  const cluster = await startCniCluster(t);
  if (cluster === null) return;
  const [n1, n2] = cluster.hosts;
  const daemons = new Map<Host, Daemon>();
  for (const host of cluster.hosts) daemons.set(host, await startAsUnit(host));
  const rows = await openRows(t, n1);
  const restart = async (host: Host): Promise<void> => {
    const daemon = daemons.get(host);
    if (daemon === undefined) throw new Error(`no daemon on ${host.name}`);
    host.must('kill', '-9', String(daemon.pid));
    await daemon.ended();
    daemons.set(host, await startAsUnit(host));
  };
  const controller = (signal: 'STOP' | 'CONT'): void =>
    void n2.must('sh', '-c', `kill -${signal} $(cat /run/ovn/ovn-controller.pid)`);
  /** Faults while the workload exists, one kind after another. */
  const faults: readonly ((workload: Deployed) => Promise<void>)[] = [
    (workload) => workload.churn(),
    () => restart(n1),
    () => restart(n2),
    async (workload) => {
      controller('STOP');
      await workload.churn();
      controller('CONT');
    },
  ];

  const empty = rows.counts();
  const samples: Usage[] = [];
  const cycleMs: number[] = [];
  const begin = performance.now();
  const halfMs = (Number(options.minutes) * msPerMinute) / 2;
  let firstWithoutFaults = 0;
  let triedAgain = 0;
  for (let cycle = 0; performance.now() - begin < 2 * halfMs; cycle += 1) {
    const start = performance.now();
    const workload = await deploy(cluster, cycle, Number(options.pods));
    triedAgain += workload.triedAgain;
    // No process is killed in the second half, because only a long-lived process shows memory that a daemon does not
    // release.
    const isCalm = start - begin > halfMs;
    if (!isCalm) {
      await faults[cycle % faults.length]?.(workload);
      firstWithoutFaults = cycle + 1;
    } else await workload.churn();
    await workload.check();
    await workload.remove();
    await rows.until(empty);
    cycleMs.push(performance.now() - start);
    for (const host of cluster.hosts) {
      t.strictSame(ofPods(host), [], `cycle ${cycle}: no port and no link is left on ${host.name}`);
      t.match(host.agent('overlay', 'verify'), { status: 0 }, `cycle ${cycle}: ${host.name} is in the desired state`);
    }
    const used = usageOf(cluster.hosts, daemons);
    samples.push({ ...used, rows: Object.values(rows.counts()).reduce((sum, one) => sum + one, 0) });
    process.stderr.write(
      `# cycle ${cycle}, ${Math.round(cycleMs.at(-1) ?? 0)} ms: ${JSON.stringify(samples.at(-1))}\n`,
    );
  }

  // A daemon that has just started grows until it has done each kind of work several times.
  const warmUp = Math.ceil((samples.length - firstWithoutFaults) * warmUpShare);
  const calm = trendsOf(samples.slice(firstWithoutFaults + warmUp), {});
  for (const { name, first, last, most, fault } of calm) {
    t.comment(`${name}: ${first} in the first tenth, ${last} in the last, ${most} at most`);
    t.equal(fault, null, `${name} does not grow`);
  }
  t.comment(`${samples.length} cycles, ${firstWithoutFaults} of them with faults, ${options.pods} pods on each node`);
  t.comment(`${triedAgain} times a pod was not plugged in at the first try`);
  if (options.json !== undefined)
    writeFileSync(options.json, `${JSON.stringify({ samples, cycleMs, calm }, null, 2)}\n`);
});
