// What test/cases/trace keeps of a trace: what decides about the packet. Dozens of tables in a row do nothing but lead to the next one.
import { isAclStage } from '../../agent/trace/rules.ts';

/** Actions that decide nothing: flags, registers that get a number or a bit, and going on to the next table. */
const filler = /^ +(next;|output;|flags\.\S+ = .*;|x*reg\d\S* = \d+;)$/;

/** Of what ovn-trace printed: headings, the steps of ACLs, those that do more than to fill registers, and the last one. */
export function cutOvnTrace(text: string): string {
  const lines = text.split('\n');
  const starts = lines.flatMap((line, index) => (/^ ?\d+\. /.test(line) ? [index] : []));
  const isCut = new Set<number>();
  for (const [place, start] of starts.entries()) {
    const end = lines.findIndex((line, index) => index > start && !line.startsWith('    '));
    const stage = /^ ?\d+\. (\w+)/.exec(lines[start] ?? '')?.[1] ?? '';
    const isAcl = isAclStage(stage) && !stage.endsWith('_hint');
    const isIdle = lines.slice(start + 1, end).every((line) => /^ +(next;|(x*reg\d|flags)\S* = .*;)$/.test(line));
    if (place < starts.length - 1 && isIdle && !isAcl) for (let at = start; at < end; at += 1) isCut.add(at);
  }
  return lines.filter((line, index) => !isCut.has(index) && !filler.test(line)).join('\n');
}

const registers =
  /^ *(set_field:\S+->(x*reg|metadata)|move:|-> NXM\S+ is now|push:|pop:|resubmit\(|load:|ct_clear|dec_ttl)/;
const kernel =
  /^ *(Flow:|Final flow:|Megaflow:|Datapath actions:|recirc\(|Replacing |Initial flow:|Modified flow:|thaw|Resuming |=+$)/;
const lookup = /^ *\d+\. /;

/** Of what ofproto/trace printed: the flows that do more than to fill registers, what they do, and the flow before each end. */
export function cutOpenFlowTrace(text: string): string {
  const kept = text
    .split('\n')
    .filter((line) => !kernel.test(line) && (!registers.test(line) || /TUN_METADATA/.test(line)));
  const isIdle = (line: string, index: number): boolean => {
    const next = kept[index + 1] ?? '';
    return lookup.test(line) && lookup.test(next) && next.search(/\S/) <= line.search(/\S/) + 1;
  };
  return kept
    .filter((line, index) => !isIdle(line, index))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');
}
