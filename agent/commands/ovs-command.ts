import { missingFromBridge } from '../compare/manual-bridge.ts';
import { usableConfig } from '../config/effective.ts';
import type { Config } from '../model/config.ts';
import { planTuning } from '../plan/tuning/plan-tuning.ts';
import { tuneAlone } from '../run/tune-alone.ts';
import { ovsTuneDocument, tuneOnlyDocument } from '../view/json/run-json.ts';
import { missingText } from '../view/status-view.ts';
import { joinLines } from '../view/style.ts';
import { daemonLine } from '../view/tuning-view.ts';
import type { Output } from './output.ts';
import { reporting, sayNotes, sayWarnings } from './reporting.ts';
import { requireRoot } from './root.ts';

/** `ovs tune`: applies the settings of ovn.yaml to the daemons of Open vSwitch, without a restart. */
export async function ovsTune(output: Output): Promise<void> {
  requireRoot('ovs tune');
  const { config, warnings } = await usableConfig();
  sayWarnings(warnings, output);
  const { plan, tuning } = await tune('ovs tune', config, output);
  const outcome = plan.steps.length === 0 ? 'unchanged' : 'changed';
  const first =
    outcome === 'unchanged' ? 'Nothing to do: Open vSwitch runs in the desired state.' : 'Done: Open vSwitch is tuned.';
  const text = joinLines([first, ...tuning.daemons.map((daemon) => `  ${daemonLine(daemon)}`)]);
  output.result(text, ovsTuneDocument(plan, tuning), { plan, tuning });
}

/** `apply` on a node whose br-ex the administrator creates: tunes Open vSwitch and leaves the bridge unchanged. */
export async function tuneOnly(command: string, config: Config, output: Output): Promise<void> {
  const { plan, ...facts } = await tune(command, config, output);
  const lacks = missingFromBridge(facts, config.uplink.value === 'none');
  const { source } = config.disableOvsInit;
  const tuned = plan.steps.length === 0 ? 'Nothing to do' : 'Done: Open vSwitch is tuned';
  const text = `${tuned}: ${source} says disableOVSInit, so br-ex is left to you.\n${missingText(lacks)}`;
  output.result(text, tuneOnlyDocument(source, plan, lacks), { tuning: plan });
}

async function tune(command: string, config: Config, output: Output): ReturnType<typeof tuneAlone> {
  const planner = (...facts: Parameters<Parameters<typeof tuneAlone>[1]>) => planTuning(config, ...facts);
  const result = await tuneAlone(command, planner, reporting(output).tuned, output.say);
  sayNotes(result.plan.notes, output);
  return result;
}
