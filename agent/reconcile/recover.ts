import { readOpenJournals, reopenJournal } from '../apply/journal.ts';
import { checkpointExists, restoreOldState } from '../apply/restore.ts';
import type { Node } from '../assemble.ts';
import type { Deadline } from '../deadline.ts';
import { readSmallFile } from '../drivers/host/files.ts';
import { AgentError } from '../errors.ts';
import type { JournalRecord } from '../model/journal.ts';
import { planReturn } from '../plan/plan.ts';
import { isAsWanted } from './proof.ts';

/**
 * Ends what an earlier run left open, before anything new is planned. A run that died in this boot is brought back to its old state
 * at once, instead of when NetworkManager's timer runs out; one of an earlier boot ended with it, because profiles in memory do not
 * outlive a boot, and what it left in Open vSwitch's database is part of what is observed next.
 */
export async function recoverEarlierRuns(
  node: Node,
  directory: string,
  say: (message: string) => void,
  deadline: Deadline,
): Promise<void> {
  const { records, unusable } = readOpenJournals(directory);
  for (const file of unusable) say(`ignoring the journal ${file.path}: ${file.why}`);
  const bootId = readSmallFile('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  for (const record of records) {
    if (record.state === 'open') await endOpenRun(node, directory, record, bootId, say, deadline);
    else if (record.state === 'awaiting-confirm') await endUnconfirmed(node, directory, record, bootId, say);
  }
}

async function endOpenRun(
  node: Node,
  directory: string,
  record: JournalRecord,
  bootId: string,
  say: (message: string) => void,
  deadline: Deadline,
): Promise<void> {
  const { id, previous, plan } = record.header;
  if (record.header.bootId !== bootId) {
    close(directory, id, 'interrupted', 'the machine went down in the middle');
    say(`transaction ${id} was cut short by a reboot; the node started from the admin's own profiles`);
    return;
  }
  // It may have died between the end of its work and the note of it: a state that is as it aimed at is not taken back.
  const pending = record.checkpoint !== null && (await checkpointExists(node.nm, record.checkpoint));
  if (!pending && isAsWanted(plan, await node.observe())) {
    close(directory, id, 'committed', 'the agent died after its work was done');
    return;
  }
  say(`transaction ${id} died in the middle; bringing back the state before it`);
  const ports = { reconnect: async () => node, planReturn, say };
  const left = await restoreOldState(ports, previous, plan.before, record.checkpoint);
  close(
    directory,
    id,
    left === null ? 'rolled-back' : 'not-restored',
    left?.message ?? 'the agent died; the next run rolled back',
  );
  if (deadline.signal.aborted) throw deadline.signal.reason;
}

/** A try whose time ran out was rolled back by NetworkManager; one that still runs has to be decided on first: `busy`. */
async function endUnconfirmed(
  node: Node,
  directory: string,
  record: JournalRecord,
  bootId: string,
  say: (message: string) => void,
): Promise<void> {
  const { id } = record.header;
  const sameBoot = record.header.bootId === bootId;
  const running = sameBoot && record.checkpoint !== null && (await checkpointExists(node.nm, record.checkpoint));
  if (running) throw unconfirmed(id);
  close(
    directory,
    id,
    'reverted',
    sameBoot ? 'it was not confirmed in time' : 'the machine was rebooted before it was confirmed',
  );
  say(`transaction ${id} was not confirmed and has been reverted`);
}

function unconfirmed(id: string): AgentError {
  return new AgentError('busy', `transaction ${id} still waits to be confirmed`, {
    hint: 'keep it with `microshift-net confirm` or take it back with `microshift-net undo`, then run this again',
    facts: { transaction: id },
  });
}

function close(
  directory: string,
  id: string,
  state: 'committed' | 'interrupted' | 'rolled-back' | 'not-restored' | 'reverted',
  detail: string,
): void {
  const journal = reopenJournal(directory, id);
  journal.setState(state, new Date().toISOString(), detail);
  journal.close();
}
