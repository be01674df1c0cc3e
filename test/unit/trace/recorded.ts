// Rows of the databases of a cluster, as they were recorded.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TraceQuestion } from '../../../agent/model/overlay-trace.ts';
import type { DatabaseRows } from '../../../agent/model/rows.ts';

export const traceCases = join(import.meta.dirname, '../../../../test/cases/trace');

type Tables = DatabaseRows['tables'];

interface Recorded {
  readonly southbound: Tables;
  readonly northbound: Tables;
  readonly switches: Readonly<Record<string, Tables>>;
}

/** A packet that was asked about. */
export interface TraceCase {
  readonly release: string;
  /** Where it was asked; null: on a node without Open vSwitch. */
  readonly node: string | null;
  readonly isMember: boolean;
  readonly withBack: boolean;
  /** Name of a case with the same packet: the output of ovn-trace is the same, wherever the question is asked. */
  readonly ovnTraceOf?: string;
  readonly question: TraceQuestion;
}

export function json<T>(...path: readonly string[]): T {
  return JSON.parse(readFileSync(join(traceCases, ...path), 'utf8')) as T;
}

/** Contents of the central databases and of Open vSwitch of a node. */
export function recordedRows(release: string, node: string) {
  const { southbound, northbound, switches } = json<Recorded>(`network-${release}.json`);
  const rowsOf = (database: string, tables: Tables): DatabaseRows => ({ database, shape: {}, tables });
  return {
    southbound: rowsOf('OVN_Southbound', southbound),
    northbound: rowsOf('OVN_Northbound', northbound),
    switchRows: rowsOf('Open_vSwitch', switches[node] ?? {}),
  };
}
