import { AgentError } from '../../errors.ts';
import type { Config, OvsConfig } from '../../model/config.ts';
import type { OvsFacts } from '../../model/observation.ts';
import type { Difference, PlanNote } from '../../model/plan.ts';
import type { DaemonFacts, DropInFacts, OvsColumn, TuningFacts, TuningPlan, TuningStep } from '../../model/tuning.ts';
import { canonicalCpuList, formatCpuList, parseCpuList } from '../../net/cpu-set.ts';
import {
  affinityIn,
  affinityText,
  effectiveText,
  isForeign,
  keepsMemoryUnlocked,
  memoryText,
  ownMark,
} from './drop-ins.ts';

/** Keys of Open_vSwitch.other_config that set the number of threads of ovs-vswitchd (ovs-vswitchd.conf.db(5)). */
export const threadKeys = { handlers: 'n-handler-threads', revalidators: 'n-revalidator-threads' } as const;
/**
 * Key for the data path that ovn-controller sets on br-int (ovn-controller(8)). Patch ports connect only bridges with
 * the same data path.
 */
const datapathKey = 'ovn-bridge-datapath-type';

type OvsKeys = Pick<OvsFacts, 'externalIds' | 'otherConfig'>;

interface Draft {
  readonly steps: TuningStep[];
  readonly differences: Difference[];
  readonly notes: PlanNote[];
}

/**
 * Plans the tuning of the Open vSwitch daemons according to ovn.yaml, without a restart. Refuses CPUs that the machine
 * does not have.
 */
export function planTuning(config: Config, facts: TuningFacts, ovs: OvsKeys): TuningPlan {
  refuseAbsentCpus(config.ovs, facts);
  const wanted = config.ovs.cpuAffinity.value;
  const cpus = wanted === null ? null : canonicalCpuList(wanted);
  const draft: Draft = { steps: [], differences: [], notes: [] };
  for (const daemon of facts.daemons) planAffinity(draft, daemon, cpus, facts.baseCpus);
  for (const daemon of facts.daemons) planMemory(draft, daemon, config.ovs.lockMemory.value);
  planKeys(draft, 'other_config', ovs.otherConfig, askedThreads(config), fewThreads);
  const isUserspace = config.ovs.datapathType.value === 'netdev';
  if (isUserspace || ovs.externalIds[datapathKey] === 'netdev') {
    const wanted = { [datapathKey]: isUserspace ? 'netdev' : null };
    planKeys(draft, 'external_ids', ovs.externalIds, wanted, sameDatapath);
  }
  return finished(draft);
}

/**
 * Plans the removal of the tuning. The plan removes the agent's drop-ins, and gives the threads the CPU affinity that
 * applies without these drop-ins. It also removes the numbers of threads and the data path of br-int if they come from
 * ovn.yaml.
 */
export function planUntuning(config: Config, facts: TuningFacts, ovs: OvsKeys): TuningPlan {
  const draft: Draft = { steps: [], differences: [], notes: [] };
  for (const daemon of facts.daemons) {
    for (const dropIn of daemon.dropIns.filter((entry) => entry.text !== null && !isForeign(entry))) {
      if (dropIn.kind === 'affinity') planAffinity(draft, daemon, affinityIn(dropIn.shipped), facts.baseCpus);
      else removeDropIn(draft, dropIn, 'the settings of microshift-net are removed');
    }
  }
  const ours = Object.entries(askedThreads(config)).filter(([key, value]) => value === ovs.otherConfig[key]);
  planKeys(draft, 'other_config', ovs.otherConfig, Object.fromEntries(ours.map(([key]) => [key, null])), fewThreads);
  if (config.ovs.datapathType.value === 'netdev' && ovs.externalIds[datapathKey] === 'netdev')
    planKeys(
      draft,
      'external_ids',
      ovs.externalIds,
      { [datapathKey]: null },
      'the settings of microshift-net are removed',
    );
  return finished(draft);
}

/** Plans the removal of the tuning before the removal of the package, which also deletes the packaged drop-ins. */
export function planRemoval(config: Config, facts: TuningFacts, ovs: OvsKeys): TuningPlan {
  const asOurs = (dropIn: DropInFacts): DropInFacts => {
    if (isForeign(dropIn) || effectiveText(dropIn) === null) return dropIn;
    return { ...dropIn, text: dropIn.text ?? `${ownMark}\n${dropIn.shipped}`, shipped: null };
  };
  const daemons = facts.daemons.map((daemon) => ({ ...daemon, dropIns: daemon.dropIns.map(asOurs) }));
  return planUntuning(config, { ...facts, daemons }, ovs);
}

function planAffinity(draft: Draft, daemon: DaemonFacts, cpus: string | null, baseCpus: string): void {
  const dropIn = daemon.dropIns.find((entry) => entry.kind === 'affinity');
  if (dropIn === undefined) return;
  const set = affinityIn(effectiveText(dropIn));
  if (isForeign(dropIn)) {
    if (set !== cpus) draft.notes.push(foreignNote(dropIn, `CPUAffinity=${set ?? ''}`));
    return;
  }
  if (cpus !== null || set !== null) pinThreads(draft, daemon, cpus ?? baseCpus, cpus === null ? set : null);
  if (affinityIn(dropIn.shipped) === cpus) removeDropIn(draft, dropIn, 'what the package ships says the same');
  else if (dropIn.text !== affinityText(cpus)) {
    const subject = `CPUAffinity of ${daemon.name}.service`;
    draft.differences.push({ subject, wanted: cpus ?? 'none', observed: set ?? 'none' });
    const why = `${daemon.name} has to run on ${cpus === null ? 'every CPU' : `CPU ${cpus}`} also after its next start`;
    draft.steps.push({ do: 'writeDropIn', path: dropIn.path, text: affinityText(cpus), why });
  }
}

/**
 * Plans the CPU affinity of running threads. If `only` is not null, only threads that have this list of CPUs are
 * changed: another program or a unit may have set the lists of the other threads.
 */
function pinThreads(draft: Draft, daemon: DaemonFacts, cpus: string, only: string | null): void {
  // The threads of the userspace data path are left out, because other_config:pmd-cpu-mask pins them.
  const own = daemon.threads.filter((thread) => !thread.name.startsWith('pmd-'));
  const wrong = own.filter((thread) => {
    const has = canonicalCpuList(thread.cpus);
    return has !== canonicalCpuList(cpus) && (only === null || has === only);
  });
  if (daemon.pid === null || wrong.length === 0) return;
  const observed = [...new Set(wrong.map((thread) => thread.cpus))].join(' and ');
  const subject = `CPUs of ${daemon.name} (${wrong.length} of its ${daemon.threads.length} threads)`;
  draft.differences.push({ subject, wanted: cpus, observed });
  draft.steps.push({
    do: 'pinThreads',
    daemon: daemon.name,
    pid: daemon.pid,
    threads: own.length === daemon.threads.length ? null : own.map((thread) => thread.tid),
    cpus,
    why: 'the affinity of a unit counts for threads that start later; those that run get it now, without a restart',
  });
}

function planMemory(draft: Draft, daemon: DaemonFacts, lock: boolean): void {
  const dropIn = daemon.dropIns.find((entry) => entry.kind === 'no-mlockall');
  if (dropIn === undefined) return;
  if (isForeign(dropIn)) draft.notes.push(foreignNote(dropIn, 'whether memory is locked'));
  else if (keepsMemoryUnlocked(dropIn.shipped) === !lock)
    removeDropIn(draft, dropIn, 'what the package ships says the same');
  else if (dropIn.text !== memoryText(lock)) {
    const words = (locks: boolean): string => (locks ? 'locked' : 'not locked');
    const now = !keepsMemoryUnlocked(effectiveText(dropIn));
    draft.differences.push({ subject: `memory of ${daemon.name}.service`, wanted: words(lock), observed: words(now) });
    const why = lock
      ? 'the daemon may lock its memory when it starts'
      : 'a daemon that locks all its memory takes what it never uses';
    draft.steps.push({ do: 'writeDropIn', path: dropIn.path, text: memoryText(lock), why });
  }
  if (daemon.pid !== null && !lock && daemon.lockedKib > 0)
    draft.notes.push(restartNote(daemon, `keeps ${daemon.lockedKib} KiB locked`));
  if (daemon.pid !== null && lock && daemon.lockedKib === 0)
    draft.notes.push(restartNote(daemon, 'has not locked its memory'));
}

type Values = Readonly<Record<string, string | null>>;

/** Returns the numbers of threads that ovn.yaml sets; null for a number that is not set. */
function askedThreads({ ovs }: Config): Values {
  return {
    [threadKeys.handlers]: ovs.handlerThreads.value?.toString() ?? null,
    [threadKeys.revalidators]: ovs.revalidatorThreads.value?.toString() ?? null,
  };
}

const fewThreads = 'ovs-vswitchd starts and ends threads while it runs; few are enough for a small node';
const sameDatapath = 'br-int needs the data path of br-ex, or no packet gets from one to the other';

function planKeys(
  draft: Draft,
  column: OvsColumn,
  observed: Readonly<Record<string, string>>,
  wanted: Values,
  why: string,
): void {
  const changed = Object.entries(wanted).filter(([key, value]) => (observed[key] ?? null) !== value);
  if (changed.length === 0) return;
  for (const [key, value] of changed) {
    const subject = `${column}:${key}`;
    draft.differences.push({ subject, wanted: value ?? '(unset)', observed: observed[key] ?? '(unset)' });
  }
  draft.steps.push({ do: 'setKeys', column, values: Object.fromEntries(changed), why });
}

function removeDropIn(draft: Draft, dropIn: DropInFacts, why: string): void {
  if (dropIn.text === null) return;
  draft.differences.push({ subject: dropIn.path, wanted: 'absent', observed: 'present' });
  draft.steps.push({ do: 'removeDropIn', path: dropIn.path, why });
}

/**
 * Returns the plan with one reload of systemd after all changes of drop-ins, because systemd reads them only on
 * request.
 */
function finished(draft: Draft): TuningPlan {
  const files = draft.steps.filter((step) => step.do === 'writeDropIn' || step.do === 'removeDropIn');
  const others = draft.steps.filter((step) => !files.some((file) => file === step));
  if (files.length === 0) return draft;
  const why = 'systemd reads drop-ins only on request; nothing is restarted';
  return { ...draft, steps: [...others, ...files, { do: 'reloadUnits', why }] };
}

function refuseAbsentCpus({ cpuAffinity }: OvsConfig, facts: TuningFacts): void {
  if (cpuAffinity.value === null) return;
  const online = new Set(parseCpuList(facts.onlineCpus));
  const absent = parseCpuList(cpuAffinity.value).filter((cpu) => !online.has(cpu));
  if (absent.length === 0) return;
  const names = `CPU ${formatCpuList(absent)}`;
  const message = `ovs.cpuAffinity (${cpuAffinity.source}) is ${cpuAffinity.value}, but this machine has no ${names}: online are ${facts.onlineCpus}`;
  throw new AgentError('config-invalid', message, { hint: 'name CPUs that are online, or write cpuAffinity: none' });
}

function restartNote(daemon: DaemonFacts, what: string): PlanNote {
  const message = `${daemon.name} ${what} until it starts again; at a time that suits you: systemctl restart ${daemon.name}`;
  return { level: 'info', message };
}

function foreignNote(dropIn: DropInFacts, what: string): PlanNote {
  const message = `${dropIn.path} is not of microshift-net and decides (${what}); remove it to let ovn.yaml decide`;
  return { level: 'warning', message };
}
