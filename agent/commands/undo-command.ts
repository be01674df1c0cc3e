import { defaultConfig } from '../config/defaults.ts';
import { usableConfig } from '../config/effective.ts';
import { asAgentError } from '../errors.ts';
import type { Config } from '../model/config.ts';
import { bridges } from '../model/names.ts';
import type { Plan } from '../model/plan.ts';
import { planTuning, planUntuning } from '../plan/tuning/plan-tuning.ts';
import { keepTried } from '../run/confirm.ts';
import type { ReconcileOptions } from '../run/options.ts';
import { undoTransaction } from '../run/undo.ts';
import { noTuning } from './no-tuning.ts';
import type { Output } from './output.ts';
import { report } from './report.ts';
import { reporting } from './reporting.ts';
import { requireRoot } from './root.ts';
import { tunerFor } from './tuner-for.ts';

/** `confirm`: keeps a change that was applied with --confirm-timeout. */
export async function confirm(output: Output): Promise<void> {
  requireRoot('confirm');
  const id = await keepTried(output);
  const text = `Confirmed: transaction ${id} stays.`;
  output.result(text, { command: 'confirm', outcome: 'confirmed', transaction: id });
  if (output.isJournal) output.announce({ kind: 'committed', text, transaction: id });
}

/**
 * `undo [TX]`: returns the node to the state before a transaction; without TX, to the state before the last transaction
 * that a person requested.
 */
export async function undo(id: string | undefined, output: Output): Promise<void> {
  requireRoot('undo');
  // If ovn.yaml is invalid, the defaults apply, so that a change can be undone in any case.
  const usable = (await usableConfig().catch(() => null))?.config ?? null;
  const tuner = usable === null ? {} : tunerAfterUndo(usable, output);
  report('undo', await undoTransaction(id, usable ?? defaultConfig, { ...reporting(output), ...tuner }), output);
  output.say('The next boot and the next `apply` follow ovn.yaml again; change it to make this last.');
}

/**
 * Returns the planner of the tuning: as after `apply` if br-ex or br-ex1 exists after the undo, otherwise as after
 * `disable`. With disableOVSInit, the tuning does not depend on the bridges. CPUs that the machine lacks do not prevent
 * an undo.
 */
function tunerAfterUndo(config: Config, output: Output): Pick<ReconcileOptions, 'tuner'> {
  if (config.disableOvsInit.value) return {};
  const tuner = tunerFor(config, (plan) => (hasOvnYamlBridge(plan) ? planTuning : planUntuning), output);
  return {
    tuner: (observation, plan) => {
      try {
        return tuner(observation, plan);
      } catch (error) {
        output.say(`warning: the tuning of Open vSwitch stays as it is: ${asAgentError(error).message}`);
        return noTuning;
      }
    },
  };
}

const hasOvnYamlBridge = ({ wanted }: Plan): boolean =>
  wanted.bridges.some(({ bridge }) => bridges.some((names) => names.bridge === bridge));
