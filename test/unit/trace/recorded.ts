// Reads recorded rows of the databases of clusters.
import { readdirSync, readFileSync } from 'node:fs';
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

/** Content of question.json: the packet to trace, and the place at which the command ran. */
export interface TraceCase {
  readonly release: string;
  /** Node on which the command ran; null for a machine without Open vSwitch. */
  readonly node: string | null;
  readonly isMember: boolean;
  readonly withBack: boolean;
  /** Name of a case with the same packet, whose output of ovn-trace is the same on every node. */
  readonly ovnTraceOf?: string;
  readonly question: TraceQuestion;
}

/** Returns the names of the cases. */
export function traceNames(): readonly string[] {
  return readdirSync(traceCases, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? one.name : []));
}

/** Heading of a pipeline or a bridge, or of the packet after an action. A line of an action ends with a semicolon. */
const heading = /^ *((in|e)gress|multicast|bridge)\(|^ *(ct_|arp|nd_|icmp|tcp_reset)[^;]*$/;

/**
 * Returns the recorded output of ovn-trace or ofproto/trace, after the description of the packet. Both tools print an
 * empty line before each heading and a line of hyphens below it, which the cases omit.
 */
export function recordedOutput(name: string, file: string): { readonly asked: string; readonly text: string } {
  const [first = '', ...lines] = readFileSync(join(traceCases, name, file), 'utf8').split('\n');
  const text = lines.flatMap((line) =>
    heading.test(line) ? ['', line, line.replaceAll(/\S.*/g, (title) => '-'.repeat(title.length))] : [line],
  );
  return { asked: first.replace(/^\? /, ''), text: text.join('\n') };
}

export function json<T>(...path: readonly string[]): T {
  return JSON.parse(readFileSync(join(traceCases, ...path), 'utf8')) as T;
}

/** Returns the contents of the central databases, and of Open vSwitch on a node. */
export function recordedRows(release: string, node: string) {
  const { southbound, northbound, switches } = json<Recorded>(`network-${release}.json`);
  const rowsOf = (database: string, tables: Tables): DatabaseRows => ({ database, shape: {}, tables });
  return {
    southbound: rowsOf('OVN_Southbound', southbound),
    northbound: rowsOf('OVN_Northbound', northbound),
    switchRows: rowsOf('Open_vSwitch', switches[node] ?? {}),
  };
}
