/**
 * Step in the detailed output of ovn-trace(8): a flow that the packet matches, and its actions. Stages are identified
 * by name, because the numbers of tables differ between releases.
 */

export interface TraceStep {
  readonly item: 'step';
  /** Position of the step within its pipeline, comparable only within one trace. */
  readonly number: number;
  readonly stage: string;
  readonly match: string;
  readonly priority: number;
  /** First eight digits of the flow's UUID in OVN_Southbound; empty if no flow matched and the packet is dropped. */
  readonly flow: string;
  readonly actions: readonly string[];
}

export type TraceItem =
  | TraceStep
  | {
      readonly item: 'pipeline';
      readonly direction: 'ingress' | 'egress';
      readonly inPort: string;
      readonly outPort: string;
    }
  /** Event between two steps, such as `ct_snat(ip4.src=192.0.2.1)`, or a packet that is generated, such as `arp`. */
  | { readonly item: 'section'; readonly title: string };

const pipeline = /^(ingress|egress)\(dp="(?:.*?)"(?:, inport="(.*?)")?(?:, outport="(.*?)")?\)$/;
const step = /^(\d+)\. (\w+)(?: \([^)]*\))?: (.*)$/;
const matched = /^(.*), priority (\d+), uuid ([0-9a-f]+)$/;

export function parseOvnTrace(text: string): readonly TraceItem[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const items: TraceItem[] = [];
  let actions: string[] = [];
  lines.forEach((line, index) => {
    const words = line.trim();
    if (/^-+$/.test(words)) return;
    const [, number = '', stage, rest] = step.exec(words) ?? [];
    if (/^\s*-+$/.test(lines[index + 1] ?? '')) items.push(heading(words));
    else if (stage === undefined || rest === undefined) actions.push(words);
    else {
      actions = [];
      items.push({ item: 'step', number: Number(number), stage, ...flowOf(rest), actions });
    }
  });
  return items;
}

function heading(title: string): TraceItem {
  const [, direction, inPort = '', outPort = ''] = pipeline.exec(title) ?? [];
  if (direction !== 'ingress' && direction !== 'egress') return { item: 'section', title };
  return { item: 'pipeline', direction, inPort, outPort };
}

function flowOf(text: string): Pick<TraceStep, 'match' | 'priority' | 'flow'> {
  const [, match, priority, flow] = matched.exec(text) ?? [];
  if (match === undefined || flow === undefined) return { match: text, priority: 0, flow: '' };
  return { match, priority: Number(priority), flow };
}
