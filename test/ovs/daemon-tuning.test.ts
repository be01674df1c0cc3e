// Tuning of real daemons: every thread gets its CPU, the numbers of threads are set, and no daemon is restarted.
import { availableParallelism } from 'node:os';
import t from 'tap';
import { defaultConfig } from '../../agent/config/defaults.ts';
import { pinThreads, readTuning } from '../../agent/drivers/host/process/daemons.ts';
import { openOpenVSwitch } from '../../agent/drivers/openvswitch/ovs-client.ts';
import type { Config } from '../../agent/model/config.ts';
import type { TuningPlan } from '../../agent/model/tuning.ts';
import { planTuning, planUntuning } from '../../agent/plan/tuning/plan-tuning.ts';
import { runTuning, type TuningContext } from '../../agent/run/steps/tuning-steps.ts';
import { missingParts } from '../ovsdb/real-server.ts';
import { startDaemons } from './daemons.ts';

const directly: TuningContext['pinThreads'] = ({ pid, threads, cpus }) => pinThreads(pid, threads, cpus);
const skip = missingParts() || (process.getuid?.() !== 0 && 'ovs-vswitchd needs root');

t.test('tuning real daemons', { skip }, async (t) => {
  const daemons = startDaemons();
  t.teardown(() => daemons.stop());
  const ovs = await openOpenVSwitch(daemons.runDirectory);
  t.teardown(() => ovs.close());
  const facts = () => readTuning(daemons.root);
  const pids = (): (number | null)[] => facts().daemons.map((daemon) => daemon.pid);
  const cpus = (): string[] => [
    ...new Set(facts().daemons.flatMap((daemon) => daemon.threads.map((thread) => thread.cpus))),
  ];
  /** Runs the steps of a plan that change daemons or the database; other tests cover the steps that write files. */
  const run = async (plan: TuningPlan): Promise<readonly string[]> => {
    const steps = plan.steps.filter((step) => ['pinThreads', 'setKeys'].includes(step.do));
    const ports = { ovs, reloadUnits: () => Promise.resolve(), pinThreads: directly };
    await runTuning(ports, steps, () => undefined);
    return steps.map((step) => step.do);
  };
  const started = pids();
  t.ok(
    started.every((pid) => pid !== null),
    'both daemons are running',
  );

  await t.test(
    'every thread of both daemons gets the last CPU',
    { skip: availableParallelism() < 2 && 'one CPU' },
    async (t) => {
      const last = String(availableParallelism() - 1);
      t.not(cpus().join(), last);
      const wanted: Config = {
        ...defaultConfig,
        ovs: { ...defaultConfig.ovs, cpuAffinity: { value: last, source: 'ovn.yaml:2' } },
      };
      t.strictSame(await run(planTuning(wanted, facts(), await ovs.facts())), ['pinThreads', 'pinThreads', 'setKeys']);
      t.strictSame(cpus(), [last]);
      t.strictSame(await run(planTuning(wanted, facts(), await ovs.facts())), [], 'a second plan has no steps');
    },
  );

  await t.test('the numbers of threads change while ovs-vswitchd is running', async (t) => {
    await run(planTuning(defaultConfig, facts(), await ovs.facts()));
    const [vswitchd] = facts().daemons;
    t.strictSame(cpus(), ['0'], 'threads that were started just now also have their CPU');
    t.equal(vswitchd?.threads.filter((thread) => thread.name.startsWith('revalidator')).length, 1);
    t.match((await ovs.facts()).otherConfig, { 'n-handler-threads': '1', 'n-revalidator-threads': '1' });
  });

  await t.test('the rollback', async (t) => {
    await run(planUntuning(defaultConfig, facts(), await ovs.facts()));
    const { otherConfig } = await ovs.facts();
    t.strictSame(
      Object.keys(otherConfig).filter((key) => key.startsWith('n-')),
      [],
    );
  });

  t.strictSame(pids(), started, 'neither daemon was restarted');
});
