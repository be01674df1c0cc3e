import { armedFault, faultFile } from '../apply/fault-points.ts';
import { journalDirectory, transactionId } from '../apply/journal.ts';
import { restoreOldState } from '../apply/restore.ts';
import { runTransaction, type TransactionResult } from '../apply/transaction.ts';
import type { Node } from '../assemble.ts';
import type { Deadline } from '../deadline.ts';
import { asAgentError } from '../errors.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import { currentBridges } from '../plan/current.ts';
import { planRestore } from '../plan/plan.ts';
import { agentVersion } from '../version.ts';
import type { ReconcileOptions } from './apply.ts';
import { refuseOtherCheckpoints } from './other-checkpoints.ts';
import { proveWanted } from './proof.ts';
import { looksRestored, reconnectNode } from './reconnect.ts';
import { rememberUplink } from './remember-uplink.ts';
import type { RunRecorder } from './run-record.ts';

/** Runs a plan as one transaction and remembers what it came to; when it fails, the old state is back before the failure is thrown. */
export async function changeNode(
  node: Node,
  plan: Plan,
  observation: Observation,
  options: ReconcileOptions,
  deadline: Deadline,
  record: RunRecorder,
): Promise<TransactionResult> {
  await refuseOtherCheckpoints(node.nm, observation.networkManager.checkpoints);
  const previous = currentBridges(observation);
  const header = {
    format: 1 as const,
    id: transactionId(new Date(), process.pid),
    command: options.command,
    agentVersion,
    startedAt: new Date().toISOString(),
    bootId: observation.host.bootId,
    plan,
    previous,
  };
  let reconnected: Node | undefined;
  const ports = {
    nm: node.nm,
    ovs: node.ovs,
    deadline,
    observe: node.observe,
    journalDirectory,
    now: () => new Date(),
    progress: options.progress,
    faultPoint: armedFault(faultFile, deadline, options.say),
    restore: (failed: Plan, checkpoint: string | null) =>
      restoreOldState(
        {
          reconnect: async (limit: Deadline) => {
            const working = await reconnectNode(node, limit, options.say);
            if (working !== node) reconnected = working;
            return working;
          },
          looksRestored: () => looksRestored(previous, failed.before),
          planRestore,
          say: options.say,
        },
        previous,
        failed.before,
        checkpoint,
      ),
  };
  record.began(header.id);
  await node.survive(header.id);
  try {
    const transaction = await runTransaction(ports, plan, header, observation, options.confirmTimeoutSeconds, (after) =>
      proveWanted(plan, after),
    );
    await ports.faultPoint('after journal-end');
    remember(plan, observation, transaction.id, options);
    return transaction;
  } finally {
    reconnected?.close();
  }
}

/** The hint for the next boot. The node is changed and proven by now: a full disk cannot fail that. */
function remember(
  plan: Plan,
  observation: Observation,
  transaction: string,
  { say, announce }: ReconcileOptions,
): void {
  try {
    rememberUplink(plan, observation, transaction, announce);
  } catch (error) {
    say(`warning: ${asAgentError(error).message}`);
  }
}
