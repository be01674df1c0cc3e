// Points of a run, with the action of the run before each in words.
import type { TestNode } from '../node.ts';

interface StepJson {
  do: string;
  id?: string;
  bridge?: string;
  interface?: string;
  profiles?: { id: string }[];
}

export interface NamedPoint {
  readonly point: string;
  /** Action before this point. */
  readonly after: string;
}

/**
 * Returns every point of a run of `apply` on this node, in order. "after" of one step and "before" of the next differ
 * only by a line in the journal, so each boundary is listed once.
 */
export async function pointsOf(node: TestNode): Promise<readonly NamedPoint[]> {
  const { diagnostics } = JSON.parse(await node.text('microshift-net plan --output json --verbose')) as {
    diagnostics: { plan: { steps: StepJson[] } };
  };
  const done = [...diagnostics.plan.steps.map(describe), 'proof', 'checkpoint destroyed'];
  return [
    { point: 'before journal', after: 'plan made' },
    { point: 'after journal', after: 'journal opened' },
    { point: 'after checkpoint', after: 'checkpoint made' },
    ...done.map((after, index) => ({ point: `after step ${index + 1}`, after })),
    { point: 'after journal-end', after: 'journal closed' },
  ];
}

/** Returns the point after an action, in the words of the plan. */
export function pointAfter(points: readonly NamedPoint[], done: string): string {
  const point = points.find((entry) => entry.after.startsWith(done))?.point;
  if (point === undefined) throw new Error(`a run on this node has no action ${done}`);
  return point;
}

function describe(step: StepJson): string {
  const what = step.profiles?.length === 1 ? step.profiles[0]?.id : (step.interface ?? step.bridge ?? step.id);
  return what === undefined ? step.do : `${step.do} ${what}`;
}
