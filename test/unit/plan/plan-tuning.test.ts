import t from 'tap';
import { defaultConfig } from '../../../agent/config/defaults.ts';
import type { Config, OvsConfig } from '../../../agent/model/config.ts';
import type { DaemonFacts, DropInFacts, TuningFacts } from '../../../agent/model/tuning.ts';
import { affinityIn, affinityText, memoryText } from '../../../agent/plan/tuning/drop-ins.ts';
import { planTuning, planUntuning } from '../../../agent/plan/tuning/plan-tuning.ts';

const shippedAffinity = '[Service]\nCPUAffinity=0\n';
const shippedMemory = '[Service]\nExecStartPre=-/bin/sh -c "printf --no-mlockall"\n';
const tuned = { externalIds: {}, otherConfig: { 'n-handler-threads': '1', 'n-revalidator-threads': '1' } };
const untuned = { externalIds: {}, otherConfig: { 'system-id': 'x' } };

function dropIn(kind: DropInFacts['kind'], unit: string, own: string | null, shipped: string | null): DropInFacts {
  const file = kind === 'affinity' ? 'microshift-net-cpuaffinity.conf' : 'microshift-net-no-mlockall.conf';
  return { kind, path: `/etc/systemd/system/${unit}.service.d/${file}`, text: own, shipped };
}

interface State {
  readonly cpus?: string;
  readonly affinity?: string | null;
  readonly memory?: string | null;
  readonly shipped?: boolean;
  readonly lockedKib?: number;
  readonly pid?: number | null;
  readonly threads?: DaemonFacts['threads'];
}

function facts({ cpus = '0', affinity = null, memory = null, shipped = true, ...rest }: State = {}): TuningFacts {
  const { lockedKib = 0, pid = 100, threads } = rest;
  const daemon = (name: DaemonFacts['name']): DaemonFacts => ({
    name,
    pid,
    threads: pid === null ? [] : (threads ?? [{ tid: 100, name, cpus }]),
    lockedKib: name === 'ovs-vswitchd' ? lockedKib : 0,
    dropIns: [
      dropIn('affinity', name, affinity, shipped ? shippedAffinity : null),
      ...(name === 'ovs-vswitchd' ? [dropIn('no-mlockall', name, memory, shipped ? shippedMemory : null)] : []),
    ],
  });
  return { onlineCpus: '0-3', baseCpus: '0-3', daemons: [daemon('ovs-vswitchd'), daemon('ovsdb-server')] };
}

function configWith(ovs: { readonly [K in keyof OvsConfig]?: OvsConfig[K]['value'] }): Config {
  const sourced = Object.entries(ovs).map(([key, value]) => [key, { value, source: 'ovn.yaml:2' }]);
  return { ...defaultConfig, ovs: { ...defaultConfig.ovs, ...Object.fromEntries(sourced) } };
}

const kinds = (plan: { readonly steps: readonly { readonly do: string }[] }): string[] =>
  plan.steps.map((step) => step.do);

t.test('no steps if the package is installed and the daemons are in the desired state', (t) => {
  t.strictSame(planTuning(defaultConfig, facts(), tuned), { steps: [], differences: [], notes: [] });
  t.end();
});

t.test('running threads get their CPU and ovs-vswitchd its numbers of threads, and no file is written', (t) => {
  const plan = planTuning(defaultConfig, facts({ cpus: '0-3' }), untuned);
  t.strictSame(kinds(plan), ['pinThreads', 'pinThreads', 'setKeys']);
  t.match(plan.steps[0], { daemon: 'ovs-vswitchd', pid: 100, threads: null, cpus: '0' });
  t.match(plan.steps[2], { values: { 'n-handler-threads': '1', 'n-revalidator-threads': '1' } });
  t.equal(plan.differences.length, 4);
  t.ok(plan.steps.every((step) => step.why.length > 20));
  t.end();
});

t.test('without the package, drop-ins are written, and systemd reads them once', (t) => {
  const plan = planTuning(defaultConfig, facts({ shipped: false }), tuned);
  t.strictSame(kinds(plan), ['writeDropIn', 'writeDropIn', 'writeDropIn', 'reloadUnits']);
  const written = facts({ shipped: false, affinity: affinityText('0'), memory: memoryText(false) });
  t.strictSame(planTuning(defaultConfig, written, tuned).steps, [], 'a second plan has no steps');
  t.end();
});

t.test('a list of CPUs other than that of the package has drop-ins, which the list of the package removes', (t) => {
  const wanted = configWith({ cpuAffinity: '2-3' });
  const plan = planTuning(wanted, facts(), tuned);
  t.strictSame(kinds(plan), ['pinThreads', 'pinThreads', 'writeDropIn', 'writeDropIn', 'reloadUnits']);
  t.match(plan.steps[2], {
    path: '/etc/systemd/system/ovs-vswitchd.service.d/microshift-net-cpuaffinity.conf',
    text: /^# Written by microshift-net.*\n\[Service\]\nCPUAffinity=\nCPUAffinity=2-3\n$/,
  });
  const done = facts({ cpus: '2-3', affinity: affinityText('2-3') });
  t.strictSame(planTuning(wanted, done, tuned).steps, []);
  t.strictSame(kinds(planTuning(defaultConfig, done, tuned)), [
    'pinThreads',
    'pinThreads',
    'removeDropIn',
    'removeDropIn',
    'reloadUnits',
  ]);
  t.end();
});

t.test('lists of CPUs are compared as sets', (t) => {
  const done = facts({ cpus: '0-2', affinity: affinityText('0-2') });
  t.strictSame(planTuning(configWith({ cpuAffinity: '2,1,0' }), done, tuned).steps, []);
  t.equal(affinityIn('[Service]\nCPUAffinity=3\nCPUAffinity=\nCPUAffinity=0 1\nCPUAffinity=2\n'), '0-2');
  t.equal(affinityIn('[Service]\nCPUAffinity=3\nCPUAffinity=\n'), null);
  t.end();
});

t.test('without an affinity, threads may use every CPU, and a cpuset is then not a difference', (t) => {
  const wanted = configWith({ cpuAffinity: null });
  const plan = planTuning(wanted, facts(), tuned);
  t.strictSame(kinds(plan), ['pinThreads', 'pinThreads', 'writeDropIn', 'writeDropIn', 'reloadUnits']);
  t.match(plan.steps[0], { cpus: '0-3' });
  const limited = facts({ cpus: '0-1', affinity: affinityText(null) });
  t.strictSame(planTuning(wanted, limited, tuned).steps, []);
  t.end();
});

t.test('CPUs that the machine lacks are refused', (t) => {
  const refused = (list: string, text: RegExp): void => {
    t.throws(() => planTuning(configWith({ cpuAffinity: list }), facts(), tuned), {
      kind: 'config-invalid',
      message: text,
    } as never);
  };
  refused('7', /ovs\.cpuAffinity \(ovn\.yaml:2\) is 7, but this machine has no CPU 7: online are 0-3/);
  refused('2-9', /has no CPU 4-9: online/);
  t.end();
});

t.test('threads of the userspace data path keep their CPU', (t) => {
  const threads = [
    { tid: 100, name: 'ovs-vswitchd', cpus: '0-3' },
    { tid: 101, name: 'pmd-c02/id:8', cpus: '2' },
    { tid: 102, name: 'revalidator3', cpus: '0-3' },
  ];
  const plan = planTuning(defaultConfig, facts({ threads }), tuned);
  t.match(plan.steps[0], { do: 'pinThreads', threads: [100, 102] });
  t.end();
});

t.test("the administrator's own drop-in is kept, and reported", (t) => {
  const plan = planTuning(defaultConfig, facts({ cpus: '1', affinity: '[Service]\nCPUAffinity=1\n' }), tuned);
  t.strictSame(plan.steps, []);
  t.match(plan.notes, [
    {
      level: 'warning',
      message: /microshift-net-cpuaffinity\.conf is not of microshift-net and decides \(CPUAffinity=1\)/,
    },
    {},
  ]);
  t.strictSame(planUntuning(defaultConfig, facts({ affinity: '[Service]\nCPUAffinity=1\n' }), untuned).steps, []);
  t.end();
});

t.test('locked memory is reported, and no daemon is restarted to unlock it', (t) => {
  const plan = planTuning(defaultConfig, facts({ lockedKib: 81_000 }), tuned);
  t.strictSame(plan.steps, []);
  t.match(plan.notes, [
    { level: 'info', message: /keeps 81000 KiB locked until it starts again.*systemctl restart ovs-vswitchd/ },
  ]);
  const locking = planTuning(configWith({ lockMemory: true }), facts(), tuned);
  t.strictSame(kinds(locking), ['writeDropIn', 'reloadUnits']);
  t.match(locking.notes, [{ message: /has not locked its memory until it starts again/ }]);
  t.end();
});

t.test('a daemon that is not running gets its drop-in and nothing else', (t) => {
  const plan = planTuning(configWith({ cpuAffinity: '1' }), facts({ pid: null }), tuned);
  t.strictSame(kinds(plan), ['writeDropIn', 'writeDropIn', 'reloadUnits']);
  t.end();
});

t.test('auto leaves the numbers of threads to Open vSwitch', (t) => {
  const plan = planTuning(configWith({ handlerThreads: null, revalidatorThreads: null }), facts(), tuned);
  t.match(plan.steps, [{ do: 'setKeys', values: { 'n-handler-threads': null, 'n-revalidator-threads': null } }]);
  t.end();
});

t.test('br-int gets the data path of br-ex, and the key that ovn.yaml caused is removed again', (t) => {
  const netdev = configWith({ datapathType: 'netdev' });
  const key = 'ovn-bridge-datapath-type';
  const withKey = { ...tuned, externalIds: { [key]: 'netdev', 'system-id': 'x' } };
  const set = { do: 'setKeys', column: 'external_ids', values: { [key]: 'netdev' } };
  t.match(planTuning(netdev, facts(), tuned).steps, [set]);
  t.strictSame(planTuning(netdev, facts(), withKey).steps, []);
  t.match(planTuning(defaultConfig, facts(), withKey).steps, [{ ...set, values: { [key]: null } }]);
  t.match(planUntuning(netdev, facts(), withKey).steps.at(-1), { ...set, values: { [key]: null } });
  t.strictSame(
    planUntuning(defaultConfig, facts(), withKey).steps.length,
    1,
    'a data path that ovn.yaml did not request is kept',
  );
  t.end();
});

t.test('the rollback removes only files and keys of the agent', (t) => {
  const own = facts({ shipped: false, affinity: affinityText('0'), memory: memoryText(false) });
  const plan = planUntuning(defaultConfig, own, {
    externalIds: {},
    otherConfig: { 'n-handler-threads': '1', 'n-revalidator-threads': '6' },
  });
  t.strictSame(kinds(plan), [
    'pinThreads',
    'pinThreads',
    'setKeys',
    'removeDropIn',
    'removeDropIn',
    'removeDropIn',
    'reloadUnits',
  ]);
  t.match(plan.steps[0], { cpus: '0-3' });
  t.strictSame(plan.steps.find((step) => step.do === 'setKeys')?.values, { 'n-handler-threads': null });
  t.strictSame(kinds(planUntuning(defaultConfig, facts(), tuned)), ['setKeys'], 'files of the package are kept');
  t.end();
});
