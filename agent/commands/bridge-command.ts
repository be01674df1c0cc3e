import { lstatSync } from 'node:fs';
import { inWords } from '../compare/in-words.ts';
import { usableConfig } from '../config/effective.ts';
import { type ExitCode, exitCode } from '../errors.ts';
import type { AddedBridge } from '../model/added-bridge.ts';
import type { Config } from '../model/config.ts';
import { addressesOf, type Observation } from '../model/observation.ts';
import type { Plan, PlanNote } from '../model/plan.ts';
import { type AskedBridge, listWith, listWithout, planAdded } from '../plan/added.ts';
import { refuseNeeded } from '../plan/needed-by-br-ex.ts';
import { readAdded } from '../run/journal/added-record.ts';
import { withNode } from '../run/node.ts';
import { type Planner, patientWait } from '../run/plan-when-ready.ts';
import { type ReconcileResult, reconcile } from '../run/reconcile.ts';
import { keptBridges } from '../run/rollback/kept-bridges.ts';
import { type BridgeState, bridgesText } from '../view/bridge-view.ts';
import { bridgeListDocument } from '../view/json/node-json.ts';
import type { Output } from './output.ts';
import { preview } from './preview.ts';
import { report } from './report.ts';
import { reporting, sayNotes, unattended } from './reporting.ts';
import { requireRoot } from './root.ts';
import { terminalWidth } from './terminal-width.ts';

export interface BridgeOptions {
  /** True to show the plan and to change nothing. */
  readonly dryRun: boolean;
  readonly confirmTimeoutSeconds: number | null;
}

export interface AddOptions extends BridgeOptions {
  /** Name of the bridge; null for the default name: `br`, followed by the name of the NIC. */
  readonly name: string | null;
  /** True to accept a NIC without which br-ex cannot be made. */
  readonly force: boolean;
}

/**
 * `bridge add`: creates an Open vSwitch bridge with a NIC, now and at every boot, and moves the NIC's IP configuration
 * to it.
 */
export async function add(nic: string, options: AddOptions, output: Output): Promise<void> {
  const asked: AskedBridge = { interface: nic, bridge: options.name };
  const result = await changeList('add', options, output, (config, observation) => {
    const list = listWith(asked, config, observation);
    const notes = !options.force && isMadeAtBoot() ? refuseNeeded(nic, list, config, observation) : [];
    return { list, notes, asked: list.find((entry) => entry.interface === nic)?.bridge ?? null };
  });
  if (result !== null) report('bridge add', result, output);
}

/** `bridge remove`: returns the IP configuration to the NIC and removes the bridge that `bridge add` created. */
export async function remove(name: string, options: BridgeOptions, output: Output): Promise<void> {
  const result = await changeList('remove', options, output, (_, observation) => ({
    list: listWithout(name, observation),
    notes: [],
    asked: null,
  }));
  if (result === null) return;
  if (result.transaction === null) output.say(`nothing is left of it, and it is not asked for any more: ${name}`);
  report('bridge remove', result, output);
}

/**
 * `bridge apply`: brings the bridges of `bridge add`, and no others, into their desired state; systemd runs it at boot.
 */
export async function applyAdded(output: Output): Promise<void> {
  report('bridge apply', await makeAdded(output), output);
}

/** Brings the bridges of `bridge add`, and no others, into their desired state, and returns the result of the run. */
export function makeAdded(output: Output): Promise<ReconcileResult> {
  return bring('bridge apply', ({ hints }) => hints.addedBridges ?? [], output);
}

/**
 * `bridge apply --stop`: returns the NICs to their own profiles before Open vSwitch stops, because without Open vSwitch
 * a bridge forwards no new flows. The list of bridges stays. A change that awaits confirmation is rolled back first,
 * because NetworkManager could not roll it back without Open vSwitch.
 */
export async function detachForStop(output: Output): Promise<void> {
  const command = 'bridge apply --stop';
  requireRoot(command);
  const { rollBackPending } = await import('../run/undo.ts');
  await rollBackPending(output.say);
  if (readAdded().length === 0) return;
  report('bridge apply', await bring(command, () => [], output), output);
}

async function bring(
  command: string,
  listOf: (observation: Observation) => readonly AddedBridge[],
  output: Output,
): Promise<ReconcileResult> {
  requireRoot(command);
  const { config } = await usableConfig();
  const planner: Planner = (observation) => {
    const plan = planAdded(listOf(observation), keptBridges(config, observation), config, observation);
    return { kind: 'planned', plan };
  };
  return reconcile(planner, patientWait, unattended(command, output));
}

/**
 * `bridge list`: lists the bridges of `bridge add` and their differences from the desired state. Exit code 3 unless all
 * of them are in the desired state. Fails with `vswitchd-not-responding` if the list has bridges and ovs-vswitchd,
 * which forwards their packets, does not answer.
 */
export async function list(output: Output): Promise<ExitCode> {
  requireRoot('bridge list');
  const { config } = await usableConfig();
  const { bridges, notes } = await withNode(async (node) => {
    const observation = await node.observe();
    const added = observation.hints.addedBridges ?? [];
    if (added.length > 0) await node.ovs.probeVswitchd();
    const plan = planAdded(added, keptBridges(config, observation), config, observation);
    return { bridges: added.map((entry) => stateOf(entry, plan, observation)), notes: plan.notes };
  });
  sayNotes(notes, output);
  const document = bridgeListDocument(bridges, notes);
  output.result(bridgesText(bridges, output.style, terminalWidth(process.stdout)), document);
  return document.outcome === 'drift' ? exitCode.drift : exitCode.done;
}

function stateOf({ bridge, interface: uplink }: AddedBridge, plan: Plan, { links }: Observation): BridgeState {
  const differences = plan.differences.filter((entry) => entry.bridge === bridge).map(inWords);
  const isWanted = plan.wanted.bridges.some((entry) => entry.bridge === bridge);
  const differing = differences.length === 0 ? 'as-wanted' : 'drift';
  const link = links.find((entry) => entry.name === bridge);
  const addresses = addressesOf(link, (entry) => entry.scope === 'global');
  return { bridge, uplink, addresses, state: isWanted ? differing : 'left-out', differences };
}

/**
 * Link that `systemctl enable microshift-ovs-init` creates (systemd.unit(5)). While the link exists, systemd starts at
 * every boot the unit that makes br-ex.
 */
const enabledLink = '/etc/systemd/system/multi-user.target.wants/microshift-ovs-init.service';

/** Returns true if systemd makes br-ex at boot. */
function isMadeAtBoot(): boolean {
  return lstatSync(enabledLink, { throwIfNoEntry: false }) !== undefined;
}

type Asker = (
  config: Config,
  observation: Observation,
) => {
  readonly list: readonly AddedBridge[];
  readonly notes: readonly PlanNote[];
  readonly asked: string | null;
};

async function changeList(
  verb: 'add' | 'remove',
  { confirmTimeoutSeconds, dryRun }: BridgeOptions,
  output: Output,
  ask: Asker,
): Promise<ReconcileResult | null> {
  const command = `bridge ${verb}` as const;
  requireRoot(command);
  const { config } = await usableConfig();
  const planner: Planner = (observation) => {
    const { list: wanted, notes, asked } = ask(config, observation);
    const plan = planAdded(wanted, keptBridges(config, observation), config, observation, { asked, isNew: true });
    return { kind: 'planned', plan: { ...plan, notes: [...notes, ...plan.notes] } };
  };
  if (dryRun) {
    await preview(command, planner, output);
    return null;
  }
  return reconcile(planner, patientWait, { command, confirmTimeoutSeconds, ...reporting(output) });
}
