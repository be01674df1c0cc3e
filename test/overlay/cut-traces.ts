// Part of a trace that test/cases/trace keeps: the lines that decide about the packet. Dozens of tables only lead to
// the next table.
import { isAclStage } from '../../agent/trace/rules.ts';

/**
 * Lines that decide nothing: flags and registers, except the next hop (reg0) and the flag for the SNAT of a load
 * balancer; marks of a connection; lines that the heading of the next pipeline repeats; actions that only look up or
 * store an entry (connection tracking, MAC bindings, FDB), whose result another line has; fields of an ARP packet; and
 * the packet as OpenFlow prints it.
 */
const filler =
  /^ +(next;|output;|mac_cache_use;|ct_commit \{.*\};|flags\.(?!force_snat)\S+ = .*;|x*reg(?!0 =)\d\S* = .*;|x*reg0 = (\d+|ip[46]\.dst);|\/\* output to ".*", type "(patch|l3gateway)" \*\/|ct_(next(\(.*\))?|dnat|clear|lb_mark);|(get|put)_(arp|nd)\(.*\);|\/\* (No MAC binding\.|lookup failed - .*) \*\/|arp\.\w+ = .*;|outport = (inport|get_fdb\(eth\.dst\));)$|^#/;

/** Heading of a packet after an action whose result the agent does not read. */
const idleSection = /^ *(ct_next\(.*\)|ct_lb_mark|ct_\w+ \/\* .*)$/;

/** Line after which the agent reads no more, and starts another run: a query for a MAC, or a choice of a backend. */
export const turn = /^ *(arp|nd_ns)$|^ +ct_lb\w*\(backends=[^,;)]+,/;

/** Line of hyphens below a heading, or empty line before it; the readers of the cases add both again. */
const aroundHeading = /^ *-*$/;

/**
 * Shortens output of ovn-trace: keeps headings except idle ones, the steps of ACLs with the next step, steps with a
 * line that `filler` does not match, and the last step. The output ends at the first turn.
 */
export function cutOvnTrace(text: string): string {
  const all = text.split('\n');
  const end = all.findIndex((line) => turn.test(line));
  const lines = end === -1 ? all : all.slice(0, end + 1);
  const starts = lines.flatMap((line, index) => (/^ ?\d+\. /.test(line) ? [index] : []));
  const isCut = new Set<number>();
  let isAfterAcl = false;
  for (const [place, start] of starts.entries()) {
    const next = lines.findIndex((line, index) => index > start && !line.startsWith('    '));
    const after = next === -1 ? lines.length : next;
    const stage = /^ ?\d+\. (\w+)/.exec(lines[start] ?? '')?.[1] ?? '';
    const isAcl = isAclStage(stage) && !stage.endsWith('_hint');
    const isIdle = lines.slice(start + 1, after).every((line) => filler.test(line));
    const isKept = place === starts.length - 1 || isAcl || isAfterAcl || !isIdle;
    if (!isKept) for (let at = start; at < after; at += 1) isCut.add(at);
    isAfterAcl = isAcl;
  }
  const isFiller = (line: string): boolean => [filler, idleSection, aroundHeading].some((one) => one.test(line));
  return lines.filter((line, index) => !isCut.has(index) && !isFiller(line)).join('\n');
}

const registers =
  /^ *(set_field:\S+->(x*reg\d+|metadata|ct_\w+|eth_\w+|nw_\w+|icmp_\w+|in_port)$|clone\(ct_clear,|nat(\(|$)|move:|-> (NXM|OXM)\S+ is now|check_pkt_larger\(|ct\(|push:|pop:|resubmit\(|load:|ct_clear|dec_ttl)/;
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
      (line) =>
        !kernel.test(line) &&
        !aroundHeading.test(line) &&
        (!registers.test(line) || /(->|-> NXM_NX_)tun_metadata\d/i.test(line)),
    );
  const isIdle = (line: string, index: number): boolean => {
    const next = kept[index + 1] ?? '';
    return lookup.test(line) && lookup.test(next) && next.search(/\S/) <= line.search(/\S/) + 1;
  };
  return kept.filter((line, index) => !isIdle(line, index)).join('\n');
}
