// Lines of ovn-trace and ofproto/trace that decide nothing: test/cases/trace/skipped-lines.txt has each of their known
// forms.
import { join } from 'node:path';
import { turn } from '../../overlay/cut-traces.ts';
import { readTable } from '../case-table.ts';
import { traceCases } from './recorded.ts';

export type TraceTool = 'ovn-trace' | 'ofproto-trace';

/**
 * Kind of the lines: `actions` come below a flow, `steps` are flows before another flow, `between` are lines before the
 * part of a bridge or of an egress pipeline, and `after` are lines after a turn.
 */
type Part = 'actions' | 'steps' | 'between' | 'after';

const tools = new Map(readTable(join(traceCases, 'skipped-lines.txt')).map(({ name, parts }) => [name, parts]));

/** Pattern of the stage that executes the action of an ACL, after the stage that has matched the ACL. */
const aclAction = /^ *\d+\. ls_\w+_acl\w*_action\b/;

/** Returns the output with all of these lines inserted at every place at which the tool can print them. */
export function withSkippedLines(tool: TraceTool, kept: string): string {
  const skipped = (part: Part): readonly string[] =>
    (tools.get(tool)?.[part] ?? '').split('\n').filter((line) => line !== '');
  const lines = kept.split('\n').flatMap((line) => {
    if (/^(bridge|egress)\(/.test(line)) return [...skipped('between'), line];
    const [, indent = '', number] = /^( *)(\d+)\. /.exec(line) ?? [];
    if (number === undefined) return [line];
    const steps = aclAction.test(line) ? [] : skipped('steps');
    return [
      ...steps.map((one) => `${indent}${one.replace(/\d+/, number)}`),
      line,
      ...skipped('actions').map((one) => `${indent}    ${one}`),
    ];
  });
  return [...lines, ...(kept.split('\n').some((line) => turn.test(line)) ? skipped('after') : [])].join('\n');
}
