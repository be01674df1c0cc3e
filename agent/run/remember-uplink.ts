import { asAgentError } from '../errors.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import { writeHint } from './journal/state-files.ts';
import type { Reporter } from './options.ts';

/**
 * Writes the files by which the next boot finds the NIC of br-ex (journal/state-files.ts, writeHint), and reports a NIC
 * that differs from that of earlier runs. The node is already in the desired state, so a full disk or a missing
 * directory does not fail the run.
 */
export function rememberUplink(
  plan: Plan,
  observation: Observation,
  transaction: string | null,
  { say, announce }: Pick<Reporter, 'say' | 'announce'>,
): void {
  try {
    writeHint(plan, observation);
  } catch (error) {
    say(`warning: ${asAgentError(error).message}`);
    return;
  }
  const { interfaceHint } = observation.hints;
  const uplink = plan.choice?.interface ?? null;
  if (uplink === null || interfaceHint === null || interfaceHint === uplink) return;
  announce({ kind: 'uplink-changed', text: `the uplink is ${uplink} now; it was ${interfaceHint}`, transaction });
}
