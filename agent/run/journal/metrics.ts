import { transactionStates } from '../../model/journal.ts';
import type { RunOutcome, RunRecord } from '../../model/run-record.ts';

const outcomes: readonly RunOutcome[] = ['unchanged', 'changed', 'failed'];

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

/**
 * Returns the content of metrics.prom for the record of a run (Prometheus text exposition format 0.0.4).
 * docs/use/metrics.md lists the metrics.
 */
export function metricsText(record: RunRecord): string {
  const { transaction, bridges, runs } = record;
  return [
    metric('info', 'gauge', 'Version of the agent that ran last.', [[{ version: record.agentVersion }, 1]]),
    metric('last_run_success', 'gauge', 'Whether the last run ended well.', [[{}, record.error === null ? 1 : 0]]),
    metric('last_run_exit_code', 'gauge', 'Exit code of the last run.', [[{}, record.error?.exitCode ?? 0]]),
    metric('last_run_timestamp_seconds', 'gauge', 'When the last run ended.', [[{}, seconds(record.at)]]),
    metric('last_run_duration_seconds', 'gauge', 'How long the last run took.', [[{}, record.tookMs / 1000]]),
    metric(
      'last_run_differences',
      'gauge',
      'Differences from the desired state that the last run found, before it repaired them.',
      record.differences === null ? [] : [[{}, record.differences]],
    ),
    metric(
      'runs_total',
      'counter',
      'Runs since the boot.',
      outcomes.map((outcome): Sample => [{ outcome }, runs[outcome]]),
    ),
    metric('rollbacks_total', 'counter', 'Transactions since the boot that failed and were rolled back.', [
      [{}, record.rollbacks],
    ]),
    metric(
      'bridge_info',
      'gauge',
      'Bridges that the agent set up, with their uplink (empty: none).',
      bridges.map(({ bridge, uplink }): Sample => [{ bridge, uplink: uplink ?? '' }, 1]),
    ),
    metric('managed_bridges', 'gauge', 'How many bridges the agent set up.', [[{}, bridges.length]]),
    ...(transaction === null
      ? []
      : [
          metric(
            'last_transaction_state',
            'gauge',
            'State of the last transaction of this boot.',
            transactionStates.map((state): Sample => [{ state }, state === transaction.state ? 1 : 0]),
          ),
          metric('last_transaction_timestamp_seconds', 'gauge', 'When the last transaction ended.', [
            [{}, seconds(transaction.at)],
          ]),
          metric(
            'last_transaction_duration_seconds',
            'gauge',
            'How long the last transaction took.',
            transaction.tookMs === null ? [] : [[{}, transaction.tookMs / 1000]],
          ),
          metric(
            'last_transaction_expected_outage_seconds',
            'gauge',
            'Outage that the plan of the last transaction predicted; not measured.',
            transaction.expectedOutageMs === null ? [] : [[{}, transaction.expectedOutageMs / 1000]],
          ),
        ]),
  ].join('');
}

function metric(name: string, type: 'gauge' | 'counter', help: string, samples: readonly Sample[]): string {
  if (samples.length === 0) return '';
  const full = `microshift_net_${name}`;
  const lines = samples.map(([labels, value]) => `${full}${labelText(labels)} ${value}\n`);
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join('')}`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** Escapes backslash, double quote and line feed, as the Prometheus text format requires in a label value. */
function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function seconds(iso: string): number {
  return Date.parse(iso) / 1000;
}
