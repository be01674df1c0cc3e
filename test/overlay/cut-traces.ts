// Part of a trace that test/cases/trace keeps: the lines that decide about the packet. Dozens of tables only lead to
// the next table.
import { isAclStage } from '../../agent/trace/rules.ts';

/**
 * Lines that decide nothing: flags and registers, except the next hop (reg0) and the flag for the SNAT of a load
 * balancer; marks of a connection; lines that the heading of the next pipeline repeats; and the packet as OpenFlow
 * prints it.
 */
const filler =
  /^ +(next;|output;|mac_cache_use;|ct_commit \{.*\};|flags\.(?!force_snat)\S+ = .*;|x*reg(?!0 =)\d\S* = .*;|x*reg0 = (\d+|ip[46]\.dst);|\/\* output to ".*", type "(patch|l3gateway)" \*\/)$|^#/;

/** Line of hyphens below a heading, or empty line before it; the readers of the cases add both again. */
const aroundHeading = /^ *-*$/;

/**
 * Shortens output of ovn-trace: keeps headings, the steps of ACLs with the next step, steps with a line that `filler`
 * does not match, and the last step.
 */
export function cutOvnTrace(text: string): string {
  const lines = text.split('\n');
  const starts = lines.flatMap((line, index) => (/^ ?\d+\. /.test(line) ? [index] : []));
  const isCut = new Set<number>();
  let isAfterAcl = false;
  for (const [place, start] of starts.entries()) {
    const end = lines.findIndex((line, index) => index > start && !line.startsWith('    '));
    const stage = /^ ?\d+\. (\w+)/.exec(lines[start] ?? '')?.[1] ?? '';
    const isAcl = isAclStage(stage) && !stage.endsWith('_hint');
    const isIdle = lines.slice(start + 1, end).every((line) => filler.test(line));
    const isKept = place === starts.length - 1 || isAcl || isAfterAcl || !isIdle;
    if (!isKept) for (let at = start; at < end; at += 1) isCut.add(at);
    isAfterAcl = isAcl;
  }
  return lines.filter((line, index) => !isCut.has(index) && !filler.test(line) && !aroundHeading.test(line)).join('\n');
}

const registers =
  /^ *(set_field:\S+->(x*reg\d+|metadata|ct_\w+|eth_\w+|nw_\w+|icmp_\w+|in_port)$|clone\(ct_clear,|nat(\(|$)|move:|-> NXM\S+ is now|push:|pop:|resubmit\(|load:|ct_clear|dec_ttl)/;
const kernel =
  /^ *(Flow:|Final flow:|Megaflow:|Datapath actions:|recirc\(|Replacing |Initial flow:|Modified flow:|thaw|Resuming |=+$|-> (A clone|Sets the packet)|This flow is handled by the userspace|- Uses action)/;
const lookup = /^ *\d+\. /;

/**
 * Shortens output of ofproto/trace. Keeps the actions that decide about the packet (neither `registers` nor `kernel`
 * matches them), the flows with such actions, and the last flow of each sequence of lookups.
 */
export function cutOpenFlowTrace(text: string): string {
  const kept = text
    .replaceAll(/\n *\d+\. No match\.\n +drop(?=\n)/g, '')
    .split('\n')
    .filter(
      (line) => !kernel.test(line) && !aroundHeading.test(line) && (!registers.test(line) || /TUN_METADATA/.test(line)),
    );
  const isIdle = (line: string, index: number): boolean => {
    const next = kept[index + 1] ?? '';
    return lookup.test(line) && lookup.test(next) && next.search(/\S/) <= line.search(/\S/) + 1;
  };
  return kept.filter((line, index) => !isIdle(line, index)).join('\n');
}
