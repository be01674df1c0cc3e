import t from 'tap';
import { AgentError } from '../../../../agent/errors.ts';
import type { RunRecord } from '../../../../agent/model/run-record.ts';
import { metricsText } from '../../../../agent/run/journal/metrics.ts';
import { nextRecord } from '../../../../agent/run/journal/record-run.ts';
import { appliedCase, planOfCase, readCase } from '../../plan/cases.ts';
import { parseMetrics } from '../exposition.ts';

const at = '2026-11-20T21:47:19.500Z';
const plan = planOfCase(readCase('dhcp'));
const transaction = { id: 'TX', state: 'committed', at, tookMs: 1834, expectedOutageMs: 100 } as const;
const end = {
  command: 'apply',
  at,
  tookMs: 2001.5,
  outcome: 'changed',
  error: null,
  plan,
  transaction,
  confirmed: null,
} as const;

t.test('a first run that changed the node', (t) => {
  const record = nextRecord(null, end);
  t.match(record, {
    format: 1,
    outcome: 'changed',
    bridges: [{ bridge: 'br-ex', uplink: 'eth0' }],
    runs: { unchanged: 0, changed: 1, failed: 0 },
    rollbacks: 0,
    differences: plan.differences.length,
  });
  const metrics = parseMetrics(metricsText(record));
  const value = (name: string, labels = {}) => metrics.value(`microshift_net_${name}`, labels);
  t.equal(value('last_run_success'), 1);
  t.equal(value('last_run_exit_code'), 0);
  t.equal(value('last_run_timestamp_seconds'), Date.parse(at) / 1000);
  t.equal(value('last_run_duration_seconds'), 2.0015);
  t.equal(value('runs_total', { outcome: 'changed' }), 1);
  t.equal(value('runs_total', { outcome: 'failed' }), 0);
  t.equal(value('managed_bridges'), 1);
  t.equal(value('bridge_info', { bridge: 'br-ex', uplink: 'eth0' }), 1);
  t.equal(value('last_transaction_state', { state: 'committed' }), 1);
  t.equal(value('last_transaction_state', { state: 'rolled-back' }), 0);
  t.equal(value('last_transaction_duration_seconds'), 1.834);
  t.equal(value('last_transaction_expected_outage_seconds'), 0.1);
  t.end();
});

t.test('a second run keeps the results of the first one', (t) => {
  const first = nextRecord(null, end);
  const unchanged = { ...end, outcome: 'unchanged', plan: planOfCase(appliedCase('dhcp')), transaction: null } as const;
  const record = nextRecord(first, unchanged);
  t.match(record, { transaction, runs: { unchanged: 1, changed: 1 }, differences: 0 });
  t.end();
});

t.test('a run that failed and was rolled back', (t) => {
  const error = new AgentError('proof-failed', 'the gateway "gw" does not answer\nat all');
  const failed = { ...end, outcome: 'failed', error, transaction: { ...transaction, state: 'rolled-back' } } as const;
  const record = nextRecord(nextRecord(null, { ...end, plan: planOfCase(appliedCase('choice-none')) }), failed);
  t.match(record, { rollbacks: 1, error: { kind: 'proof-failed', exitCode: 1 }, runs: { failed: 1 } });
  t.strictSame(record.bridges, [{ bridge: 'br-ex', uplink: null }], 'the bridges are those before the run');
  const metrics = parseMetrics(metricsText(record));
  t.equal(metrics.value('microshift_net_rollbacks_total', {}), 1);
  t.equal(metrics.value('microshift_net_last_run_success', {}), 0);
  t.equal(metrics.value('microshift_net_bridge_info', { bridge: 'br-ex', uplink: '' }), 1);
  t.end();
});

t.test('a run that failed before it had read the state of the node', (t) => {
  const error = new AgentError('networkmanager-not-running', 'NetworkManager is not running');
  const record = nextRecord(null, { ...end, outcome: 'failed', error, plan: null, transaction: null });
  t.match(record, { differences: null, transaction: null, bridges: [], rollbacks: 0 });
  const metrics = parseMetrics(metricsText(record));
  t.equal(metrics.value('microshift_net_last_run_exit_code', {}), 5);
  t.equal(metrics.value('microshift_net_last_run_differences', {}), undefined);
  t.end();
});

t.test('a run that crashed, and that another run ended', (t) => {
  const dead = { id: 'TX', state: 'rolled-back', at, tookMs: null, expectedOutageMs: null } as const;
  const record = nextRecord(null, { ...end, command: 'recover', plan: null, transaction: dead });
  t.match(record, { rollbacks: 1, transaction: dead });
  const metrics = parseMetrics(metricsText(record));
  t.equal(metrics.value('microshift_net_last_transaction_state', { state: 'rolled-back' }), 1);
  t.equal(metrics.value('microshift_net_last_transaction_duration_seconds', {}), undefined);
  t.end();
});

t.test('label values cannot break the format', (t) => {
  const record: RunRecord = { ...nextRecord(null, end), bridges: [{ bridge: 'br-ex', uplink: 'a"b\\c\nd' }] };
  const metrics = parseMetrics(metricsText(record));
  t.equal(metrics.value('microshift_net_bridge_info', { bridge: 'br-ex', uplink: 'a"b\\c\nd' }), 1);
  t.end();
});

t.test('the parser of this test is strict', (t) => {
  const good = '# HELP a_seconds Text.\n# TYPE a_seconds gauge\na_seconds 1\n';
  t.doesNotThrow(() => parseMetrics(good));
  for (const [name, bad] of [
    ['no line feed at the end', good.trimEnd()],
    ['a sample before its type', 'a_seconds 1\n'],
    ['no help', good.replace(/^# HELP.*\n/, '')],
    ['twice the same sample', `${good}a_seconds 2\n`],
    ['a family in two places', `${good}${good.replaceAll('a_', 'b_')}${good}`],
    ['a counter that is not called _total', good.replace('gauge', 'counter')],
    ['a gauge that is called _total', good.replaceAll('a_seconds', 'a_total')],
    ['an open label', good.replace('seconds 1', 'seconds{x="1 1')],
    ['a value that is not a number', good.replace('seconds 1', 'seconds NaNa')],
    ['milliseconds', good.replaceAll('a_seconds', 'a_ms')],
  ] as const)
    t.throws(() => parseMetrics(bad), name);
  t.end();
});
