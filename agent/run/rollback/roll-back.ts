import type { Deadline } from '../../deadline.ts';
import { removeAddresses } from '../../drivers/host/kernel/change-kernel-entries.ts';
import type { AgentError } from '../../errors.ts';
import { endingWith } from '../../failures.ts';
import type { JournalHeader } from '../../model/journal.ts';
import type { Step } from '../../model/plan.ts';
import { planRestore } from '../../plan/make-plan.ts';
import type { Node } from '../node.ts';
import { reconnectNode } from './reconnect.ts';
import { type RestorePorts, restoreOldState } from './restore-state.ts';
import { completeUnaided, freeAddressed } from './unaided.ts';

/**
 * Rolls back to the state before a transaction, over a new connection if NetworkManager was restarted. `checkpoint` is
 * the path of the transaction's checkpoint; null if the checkpoint cannot exist any more. Returns an error if the
 * rollback was incomplete, otherwise null.
 */
export async function rollBack(
  node: Node,
  { previous, plan: { before, wanted, steps } }: Pick<JournalHeader, 'previous' | 'plan'>,
  checkpoint: string | null,
  say: (message: string) => void,
): Promise<AgentError | null> {
  let current = node;
  const closeOpened = (): void => {
    if (current !== node) current.close();
  };
  const reconnect = async (limit: Deadline): Promise<Node> => {
    const working = await reconnectNode(current, previous, limit, say);
    if (working !== current) closeOpened();
    current = working;
    return working;
  };
  const ports: RestorePorts = {
    reconnect,
    completeUnaided: () => completeUnaided(previous, before, addedToLoopback(steps)),
    freeAddressed: () => freeAddressed(previous, before),
    planRestore: (observation) => planRestore(previous, observation, wanted),
    clearLoopback: () => removeAddresses('lo', addedToLoopback(steps)),
    say,
  };
  return endingWith(() => restoreOldState(ports, previous, before, checkpoint), closeOpened);
}

/** Returns the addresses that the steps of a transaction add to lo, which had none of them before. */
function addedToLoopback(steps: readonly Step[]): readonly string[] {
  return steps.flatMap((step) =>
    step.do === 'changeKernel' && step.entries.interface === 'lo'
      ? step.entries.addresses.map(({ address }) => address)
      : [],
  );
}
