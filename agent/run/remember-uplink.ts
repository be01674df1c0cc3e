import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import type { Message } from './messages.ts';
import { writeHint } from './state-files.ts';

/** Writes the hint for the next boot, and tells when the uplink is another one than the runs before had. */
export function rememberUplink(
  plan: Plan,
  observation: Observation,
  transaction: string | null,
  announce: (message: Message) => void,
): void {
  writeHint(plan, observation);
  const { interfaceHint } = observation.hints;
  const uplink = plan.choice?.interface ?? null;
  if (uplink === null || interfaceHint === null || interfaceHint === uplink) return;
  announce({ kind: 'uplink-changed', text: `the uplink is ${uplink} now; it was ${interfaceHint}`, transaction });
}
