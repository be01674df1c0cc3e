import { existsSync } from 'node:fs';
import { defaultConfig } from '../config/defaults.ts';
import { type UsableConfig, usableConfig } from '../config/effective.ts';
import { asAgentError, isAgentError } from '../errors.ts';
import { isFormerLayout } from '../model/names.ts';
import { hasLateNic } from '../plan/added.ts';
import { planApply, planDisable, planUndo } from '../plan/make-plan.ts';
import { planTuning, planUntuning } from '../plan/tuning/plan-tuning.ts';
import { readAdded } from '../run/journal/added-record.ts';
import { recordRefused } from '../run/journal/record-run.ts';
import { removeHint, takeRepairRequest, wereNicsReturned } from '../run/journal/state-files.ts';
import { overlayPlaces } from '../run/overlay/record/places.ts';
import { type Planner, patientWait, repairWait, type WaitOptions } from '../run/plan-when-ready.ts';
import { type ReconcileResult, reconcile } from '../run/reconcile.ts';
import { keptAdded, keptBridges } from '../run/rollback/kept-bridges.ts';
import { releaseReplaced } from '../run/steps/held-routes.ts';
import type { Output } from './output.ts';
import { uplinkWarnings } from './plan-command.ts';
import { preview } from './preview.ts';
import { report, reportRepair } from './report.ts';
import { reporting, sayWarnings, unattended } from './reporting.ts';
import { requireRoot } from './root.ts';
import { tunerFor } from './tuner-for.ts';

/**
 * Time limits of zero. A run with these limits acts on the present state of the node, and waits for neither a route,
 * nor an uplink, nor a service.
 */
const noWait: WaitOptions = { routeMs: 0, uplinkMs: 0, servicesMs: 0 };

export interface ApplyOptions {
  readonly boot: boolean;
  readonly confirmTimeoutSeconds: number | null;
}

/** `apply`: brings the node into the state that ovn.yaml describes. */
export async function apply(options: ApplyOptions, output: Output): Promise<void> {
  requireRoot('apply');
  const command = options.boot ? 'apply --boot' : 'apply';
  const { config, warnings } = await readConfig(command);
  sayWarnings(warnings, output);
  if (config.disableOvsInit.value) {
    const { tuneOnly } = await import('./ovs-command.ts');
    return tuneOnly(command, config, output);
  }
  const planner: Planner = (observation, { nic, route }) =>
    planApply(config, observation, route, options.boot ? { nicWaitOver: nic } : null);
  const tuner = tunerFor(config, () => planTuning, output);
  const result = await reconcile(planner, patientWait, {
    command,
    confirmTimeoutSeconds: options.confirmTimeoutSeconds,
    ...reporting(output),
    tuner,
  });
  sayWarnings(uplinkWarnings(config, result.plan, result.observation), output);
  report('apply', result, output);
}

/**
 * `apply --repair`: after an event that may have changed the node, returns the node to the state that the last change
 * of this boot produced. Changes that were undone do not count. Later changes of ovn.yaml take effect only at the next
 * boot or `apply`. Prints a message and changes nothing while another run is in progress, a change awaits confirmation,
 * or another program has a checkpoint of NetworkManager.
 */
export async function repair(output: Output): Promise<void> {
  const command = 'apply --repair';
  requireRoot(command);
  takeRepairRequest();
  const { config } = await readConfig(command);
  if (config.disableOvsInit.value && readAdded().length === 0) return;
  const planner: Planner = (observation, over) => {
    // configure-ovs.sh makes a NIC a port of br-ex through a profile of NetworkManager, and such a bridge does not
    // survive a restart of NetworkManager. `apply --repair` therefore builds the bridge again.
    if (isFormerLayout(observation) && !config.disableOvsInit.value) return planApply(config, observation, over.route);
    return { kind: 'planned', plan: planUndo(keptBridges(config, observation), observation, config) };
  };
  try {
    const result = await reconcile(planner, repairWait, { ...unattended(command, output), isBrief: true });
    if (result.transaction === null) await releaseReplaced();
    const isLate = hasLateNic(result.plan, result.observation) && !wereNicsReturned();
    if (output.format === 'json') return reportRepair(result, isLate ? await addLate(output) : null, output);
    if (result.transaction !== null || !isLate) report('apply', result, output);
    const late = isLate ? await addLate(output) : null;
    if (late !== null) report('bridge apply', late, output);
  } catch (error) {
    if (!isAgentError(error) || error.kind !== 'busy') throw error;
    output.say(error.message);
  }
}

/**
 * Creates the bridges of `bridge add` whose NIC has appeared, and returns the result. Returns null if a bridge cannot
 * be created and the rollback restores the NIC of that bridge. `apply --repair` then still succeeds, and the next event
 * causes another try. Throws the error `not-restored` after an incomplete rollback.
 */
async function addLate(output: Output): Promise<ReconcileResult | null> {
  try {
    return await (await import('./bridge-command.ts')).makeAdded(output);
  } catch (error) {
    if (isAgentError(error) && error.kind === 'not-restored') throw error;
    output.say(`warning: ${asAgentError(error).message}`);
    return null;
  }
}

/** Reads the configuration. If the configuration is invalid, also records the failure for monitoring. */
async function readConfig(command: string): Promise<UsableConfig> {
  try {
    return await usableConfig();
  } catch (error) {
    await recordRefused(command, error);
    throw error;
  }
}

export interface DisableOptions {
  /**
   * True to remove the bridges of `bridge add` and the file that lists them as well, and to return their NICs to their
   * own profiles.
   */
  readonly all: boolean;
  /** True to show the plan and to change nothing. */
  readonly dryRun: boolean;
}

/**
 * `disable`: returns the NICs of br-ex and br-ex1 to their own profiles, and removes the two bridges, their profiles,
 * the hint file if the agent wrote it, and the tuning of Open vSwitch. The overlay stays, and so do the bridges of
 * `bridge add` unless `all` is true.
 */
export async function disable({ all, dryRun }: DisableOptions, output: Output): Promise<void> {
  requireRoot('disable');
  // If ovn.yaml is invalid, the defaults apply, because the NIC has to return to its own profile in any case.
  const { config } = await usableConfig().catch(() => ({ config: defaultConfig }));
  const tuner = tunerFor(config, () => planUntuning, output);
  const planner: Planner = (observation) => {
    if (!all) return { kind: 'planned', plan: planDisable(observation, undefined, keptAdded(config, observation)) };
    const added = observation.hints.addedBridges === undefined ? undefined : [];
    return { kind: 'planned', plan: planDisable(observation, added) };
  };
  warnOfOverlay(overlayPlaces.record, output);
  if (dryRun) return preview('disable', planner, output, tuner);
  const result = await reconcile(planner, noWait, { ...unattended('disable', output), tuner });
  try {
    removeHint();
  } catch (error) {
    // The hint file is removed after the NIC has its own profile again. The command therefore succeeds even if the file
    // cannot be removed, for example from a read-only disk.
    output.say(`warning: the hint could not be removed: ${asAgentError(error).message}`);
  }
  report('disable', result, output);
}

/** Warns of the effect of `disable` on the overlay if this node has a record of an overlay. */
export function warnOfOverlay(record: string, { say }: Pick<Output, 'say'>): void {
  if (!existsSync(record)) return;
  say(
    'warning: this node stays a member of its overlay; a gateway of it by br-ex carries nothing until `apply` makes br-ex again, and `microshift-net overlay disable` ends the membership',
  );
}

/**
 * `disable --stop`: returns every NIC to its own profile before Open vSwitch stops, because without Open vSwitch a
 * bridge forwards no new flows. The hint file and the tuning of Open vSwitch stay for the next start of
 * microshift-ovs-init.service. A change that awaits confirmation is rolled back first, because NetworkManager could not
 * roll it back without Open vSwitch.
 */
export async function disableForStop(output: Output): Promise<void> {
  const command = 'disable --stop';
  requireRoot(command);
  const { config } = await usableConfig().catch(() => ({ config: defaultConfig }));
  // With disableOVSInit, nothing is removed, because the administrator created br-ex.
  if (config.disableOvsInit.value) return;
  const { rollBackPending } = await import('../run/undo.ts');
  await rollBackPending(output.say);
  const planner: Planner = (observation) => ({ kind: 'planned', plan: planDisable(observation) });
  report('disable', await reconcile(planner, noWait, unattended(command, output)), output);
}
