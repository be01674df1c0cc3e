// A sample document of every command about a node, made from facts.
import { inWords } from '../../../../agent/compare/in-words.ts';
import { namedSettings } from '../../../../agent/config/settings.ts';
import { AgentError } from '../../../../agent/errors.ts';
import { followedBy } from '../../../../agent/failures.ts';
import type { JournalRecord } from '../../../../agent/model/journal.ts';
import type { TuningFacts, TuningPlan } from '../../../../agent/model/tuning.ts';
import { completionDocument } from '../../../../agent/view/json/completion-json.ts';
import {
  configCheckDocument,
  configSchemaDocument,
  configShowDocument,
} from '../../../../agent/view/json/config-json.ts';
import type { JsonDocument } from '../../../../agent/view/json/document.ts';
import { errorDocument } from '../../../../agent/view/json/error-json.ts';
import {
  bridgeListDocument,
  doctorDocument,
  firewallApplyDocument,
  firewallCheckDocument,
  supportBundleDocument,
} from '../../../../agent/view/json/node-json.ts';
import { planDocument, tuningPlanDocument, verifyDocument } from '../../../../agent/view/json/plan-json.ts';
import {
  ovsTuneDocument,
  previewDocument,
  runDocument,
  tuneOnlyDocument,
} from '../../../../agent/view/json/run-json.ts';
import { historyDocument, statusDocument, transactionDocument } from '../../../../agent/view/json/status-json.ts';
import { appliedCase, configOf, planOfCase, readCase } from '../../plan/cases.ts';

const fresh = readCase('dhcp');
const { observation } = fresh;
const plan = planOfCase(fresh);
const made = appliedCase('dhcp');
const unchanged = planOfCase(made);

const id = '20260102T030405Z-0001';
const confirmUntil = '2026-01-02T03:14:06.000Z';
const pending = { id, command: 'apply', confirmUntil, state: 'waiting' } as const;
const warnings = [{ source: 'ovn.yaml:3', message: 'mtu 1500 is larger than that of eth0 allows' }];
const missing = [{ what: 'br-ex is down', fix: 'ip link set br-ex up' }];

const tuning: TuningPlan = {
  steps: [{ do: 'pinThreads', daemon: 'ovs-vswitchd', pid: 536, threads: null, cpus: '0', why: 'ovn.yaml:4' }],
  differences: [{ subject: 'CPU of ovs-vswitchd', wanted: '0', observed: '0-3' }],
  notes: [{ level: 'info', message: 'ovsdb-server takes lockMemory at its next start' }],
};
const noTuning: TuningPlan = { steps: [], differences: [], notes: [] };
const tuned: TuningFacts = {
  onlineCpus: '0-3',
  baseCpus: '0-3',
  daemons: [
    {
      name: 'ovs-vswitchd',
      pid: 536,
      threads: ['handler1', 'revalidator2'].map((name, index) => ({ tid: 536 + index, name, cpus: '0' })),
      lockedKib: 0,
      dropIns: [],
    },
  ],
};

/** A run with two steps; the document of `plan` has all kinds of steps. */
const short = { ...plan, steps: plan.steps.slice(0, 2) };
const transaction = { id, state: 'awaiting-confirm', confirmUntil, stepTimesMs: [12, 12] } as const;
const run = { plan: short, observation, tuning, transaction };
const record: JournalRecord = {
  header: {
    format: 1,
    id,
    command: 'apply',
    agentVersion: '0.2.0',
    startedAt: '2026-01-02T03:04:05.000Z',
    bootId: 'b',
    plan: short,
    previous: { bridges: [] },
  },
  state: 'rolled-back',
  stateAt: '2026-01-02T03:04:06.000Z',
  detail: 'the gateway 192.0.2.1 does not answer',
  later: null,
  confirmUntil: null,
  checkpoint: '/org/freedesktop/NetworkManager/Checkpoint/1',
  stepTimesMs: [5, null],
};
const overlay = {
  node: 'n1',
  role: 'central',
  membership: { state: 'not-applicable' },
  hasController: true,
  isRunning: true,
  failure: null,
} as const;
const view = {
  observation: { ...made.observation, tuning: tuned },
  vswitchd: null,
  last: record,
  pending: null,
  overlay,
  nowMs: 0,
  differences: [],
  problem: null,
  unknown: [],
};
const config = configOf(null, 'ovs:\n  cpuAffinity: "0"\n');
const wanted = [{ source: '10.42.0.0/16', why: 'pods', family: 4 }] as const;
const firewall = { zone: 'trusted', wanted, addRunning: [], addPermanent: ['10.42.0.0/16'] };
const check = { id: 'uplink', title: 'An uplink can be chosen', found: ['eth0, by default route'], fix: [] };

/**
 * Documents of the commands about a node by the names of their cases; the part before the dot is the name of the
 * schema.
 */
export const nodeSamples: Readonly<Record<string, JsonDocument>> = {
  plan: planDocument(plan, tuning, observation, pending, warnings),
  'plan.as-wanted': planDocument(unchanged, noTuning, made.observation, null, []),
  'plan.disabled': tuningPlanDocument('ovn.yaml:2', tuning, missing, warnings),
  apply: runDocument('apply', run),
  'apply.unchanged': runDocument('apply', {
    plan: unchanged,
    observation: made.observation,
    tuning: noTuning,
    transaction: null,
  }),
  'apply.disabled': tuneOnlyDocument('ovn.yaml:2', tuning, missing),
  undo: runDocument('undo', { ...run, transaction: null, reverted: id }),
  disable: runDocument('disable', run),
  'disable.dry-run': previewDocument('disable', { plan: short, tuning, observation }),
  'bridge-add': runDocument('bridge add', run),
  'bridge-add.dry-run': previewDocument('bridge add', { plan: short, tuning: noTuning, observation }),
  'bridge-remove': runDocument('bridge remove', run),
  'bridge-remove.dry-run': previewDocument('bridge remove', { plan: short, tuning: noTuning, observation }),
  'bridge-apply': runDocument('bridge apply', run),
  'bridge-list': bridgeListDocument(
    [
      { bridge: 'breth1', uplink: 'eth1', addresses: ['198.51.100.2/24'], state: 'as-wanted', differences: [] },
      {
        bridge: 'breth2',
        uplink: 'eth2',
        addresses: [],
        state: 'drift',
        differences: [{ subject: 'bridge breth2', wanted: 'present', observed: 'absent' }],
      },
    ],
    [{ level: 'warning', message: 'breth3 is left out: there is no device eth3' }],
  ),
  confirm: { command: 'confirm', outcome: 'confirmed', transaction: id },
  recover: { command: 'recover', outcome: 'changed', done: [`transaction ${id} is rolled back`] },
  verify: verifyDocument(
    plan.differences.map(inWords),
    [{ subject: 'bridge br-ex port eth0', remedy: 'connect the cable' }],
    null,
    warnings,
  ),
  'verify.disabled': verifyDocument(null, [], null, []),
  status: statusDocument(view),
  'status.waiting': statusDocument({ ...view, pending, overlay: null, last: null }),
  history: historyDocument([record]),
  'history.one': transactionDocument(record, plan.differences.map(inWords)),
  doctor: doctorDocument([
    { ...check, verdict: 'ok' },
    { ...check, id: 'ports', verdict: 'failed', found: ['eth0 is not in br-ex'], fix: ['microshift-net apply'] },
  ]),
  'ovs-tune': ovsTuneDocument(tuning, tuned),
  'firewall-check': firewallCheckDocument(wanted, firewall),
  'firewall-apply': firewallApplyDocument(wanted, null),
  'support-bundle': supportBundleDocument('/var/tmp/microshift-net-20260102T030405Z.tar.gz', 51_200, [
    { file: 'reports/doctor.txt', bytes: 1200, note: null },
    { file: 'reports/plan.txt', bytes: 0, note: 'no answer within 30 s' },
  ]),
  'config-check': configCheckDocument('/etc/microshift/ovn.yaml', true, warnings),
  'config-show': configShowDocument(namedSettings(config), []),
  completion: completionDocument('fish', 'complete -c microshift-net\n'),
  'config-schema': configSchemaDocument({ title: 'ovn.yaml', type: 'object' }),
  error: errorDocument(
    followedBy(
      new AgentError('proof-failed', 'the gateway 192.0.2.1 does not answer', {
        hint: 'check the switch',
        cause: new Error('ping ended with 1'),
        facts: { neighbour: '192.0.2.1', asked: ['192.0.2.1'], port: null },
      }),
      new AgentError('not-restored', 'eth0 has no address', { hint: 'look at it' }),
    ),
    'apply',
  ),
  'error.usage': errorDocument(
    new AgentError('bad-usage', "unknown command 'aply' (Did you mean apply?)", { hint: 'see microshift-net --help' }),
    null,
  ),
};
