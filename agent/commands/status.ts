import { journalDirectory, readJournals } from '../apply/journal.ts';
import { openNode } from '../assemble.ts';
import { effectiveConfig } from '../config/effective.ts';
import { asAgentError, type ExitCode, exitCode } from '../errors.ts';
import type { Difference } from '../model/plan.ts';
import { planApply } from '../plan/plan.ts';
import { planTuning } from '../plan/tuning.ts';
import { lacksOfBridge } from '../verify/manual-bridge.ts';
import { lacksText } from '../view/manual-bridge-view.ts';
import { statusText } from '../view/status-view.ts';
import type { Output } from './output.ts';
import { requireRoot } from './root.ts';

/** `status`: one screen about the node, with the next step if something is wrong. */
export async function status(output: Output): Promise<ExitCode> {
  requireRoot('status');
  const node = await openNode();
  try {
    const observation = await node.observe();
    const vswitchd = await node.ovs.probeVswitchd().then(
      () => null,
      (error: unknown) => asAgentError(error).message,
    );
    const { records } = readJournals(journalDirectory);
    const view = { observation, vswitchd, last: records[0] ?? null, ...(await judge()) };
    output.result(statusText(view, output.style), { command: 'status', ...view });
    return exitCode.done;

    async function judge(): Promise<{ differences: readonly Difference[]; problem: string | null }> {
      try {
        const { config } = await effectiveConfig();
        if (config.disableOvsInit.value) {
          const lacks = lacksOfBridge(observation, config.uplink.value === 'none');
          return { differences: [], problem: lacks.length === 0 ? null : lacksText(lacks) };
        }
        const decision = planApply(config, observation, true);
        const network = decision.kind === 'planned' ? decision.plan.differences : [];
        const tuning =
          observation.tuning === undefined ? [] : planTuning(config, observation.tuning, observation.ovs).differences;
        return { differences: [...network, ...tuning], problem: null };
      } catch (error) {
        const { message, hint } = asAgentError(error);
        return { differences: [], problem: hint === undefined ? message : `${message}; ${hint}` };
      }
    }
  } finally {
    node.close();
  }
}
