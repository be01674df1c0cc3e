import type { Deadline } from '../deadline.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import type { TransactionResult } from '../model/run-record.ts';
import { currentBridges } from '../plan/bridge/current.ts';
import { agentVersion } from '../version.ts';
import { announceUp } from './announce-up.ts';
import { armedFault, faultFile } from './fault-points.ts';
import { newestId } from './journal/journal-files.ts';
import { nodePlaces, type RunRecorder } from './journal/record-run.ts';
import { transactionId } from './journal/transactions.ts';
import type { Node } from './node.ts';
import type { ReconcileOptions } from './options.ts';
import { rememberUplink } from './remember-uplink.ts';
import { refuseOtherCheckpoints } from './rollback/other-checkpoints.ts';
import { rollBack } from './rollback/roll-back.ts';
import { runTransaction } from './transaction.ts';

/**
 * Runs a plan as one transaction and records its result. After a failure, rolls the transaction back and throws the
 * failure.
 */
export async function changeNode(
  node: Node,
  plan: Plan,
  observation: Observation,
  options: ReconcileOptions,
  deadline: Deadline,
  record: RunRecorder,
  places = nodePlaces,
): Promise<TransactionResult> {
  await refuseOtherCheckpoints(node.nm, observation.networkManager.checkpoints);
  const previous = currentBridges(observation);
  const header = {
    format: 1 as const,
    id: transactionId(new Date(), process.pid, newestId(places.journals)),
    command: options.command,
    agentVersion,
    startedAt: new Date().toISOString(),
    bootId: observation.host.bootId,
    plan,
    previous,
  };
  const ports = {
    nm: node.nm,
    ovs: node.ovs,
    deadline,
    observe: node.observe,
    journalDirectory: places.journals,
    now: () => new Date(),
    progress: options.progress,
    faultPoint: armedFault(faultFile, deadline, options.say),
    restore: (checkpoint: string | null) => rollBack(node, header, checkpoint, options.say),
  };
  record.began(header.id);
  await node.survive(header.id);
  const { confirmTimeoutSeconds } = options;
  // A start that was scheduled for an earlier change could come too late for this one.
  if (confirmTimeoutSeconds !== null) await node.cancelRecovery();
  const transaction = await runTransaction(ports, header, observation, confirmTimeoutSeconds);
  if (confirmTimeoutSeconds !== null) await node.recoverAfter(confirmTimeoutSeconds);
  await ports.faultPoint('after journal-end');
  rememberUplink(plan, observation, transaction.id, options);
  await announceUp(node, plan, options.say);
  return transaction;
}
