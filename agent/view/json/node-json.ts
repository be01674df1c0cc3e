import type { CheckResult } from '../../model/examination.ts';
import type { FirewallPlan, TrustedSource } from '../../model/firewall.ts';
import type { PlanNote } from '../../model/plan.ts';
import type { BridgeState } from '../bridge-view.ts';
import { type DifferenceJson, differencesJson, type NoteJson, notesJson } from './parts-json.ts';

/** `doctor`: every check. */
export interface DoctorDocument {
  readonly command: 'doctor';
  /** `failed` if a check failed. */
  readonly outcome: 'fine' | 'failed';
  readonly checks: readonly CheckJson[];
}

/** A check, with its evidence and the commands that fix the problem. */
export interface CheckJson {
  /** Name of the check, as in docs/use/doctor.md. */
  readonly id: string;
  readonly title: string;
  readonly verdict: 'ok' | 'warning' | 'failed' | 'not-applicable';
  /** Evidence for the result of the check, one sentence per entry. */
  readonly found: readonly string[];
  /** Commands for a shell, in their order; prose follows a `#`. Empty if there is nothing to fix. */
  readonly fix: readonly string[];
}

/** `bridge list`: the bridges of `bridge add`. */
export interface BridgeListDocument {
  readonly command: 'bridge list';
  readonly outcome: 'as-wanted' | 'drift';
  readonly bridges: readonly AddedBridgeJson[];
  readonly notes: readonly NoteJson[];
}

/** A bridge of `bridge add`. */
export interface AddedBridgeJson {
  readonly bridge: string;
  readonly uplink: string;
  /** Addresses of the bridge as `address/prefix`. */
  readonly addresses: readonly string[];
  /** `left-out`: the bridge cannot be created now; a note has the reason. */
  readonly state: 'as-wanted' | 'drift' | 'left-out';
  readonly differences: readonly DifferenceJson[];
}

/** `firewall check`: the sources that firewalld has to trust. */
export interface FirewallCheckDocument {
  readonly command: 'firewall check';
  readonly outcome: 'as-wanted' | 'drift' | 'no-firewalld';
  readonly wanted: readonly TrustedSourceJson[];
  /** Sources that firewalld does not trust yet; null if firewalld does not run. */
  readonly missing: ZoneSourcesJson | null;
}

/** `firewall apply`: the sources that firewalld trusts from now on. */
export interface FirewallApplyDocument {
  readonly command: 'firewall apply';
  readonly outcome: 'changed' | 'unchanged' | 'no-firewalld';
  readonly wanted: readonly TrustedSourceJson[];
  /** Sources that this command has added; null if firewalld does not run. */
  readonly added: ZoneSourcesJson | null;
}

/** A source that firewalld has to trust. */
export interface TrustedSourceJson {
  /** Range of the addresses of the source. */
  readonly source: string;
  readonly why: string;
}

/** Sources of a zone of firewalld. */
export interface ZoneSourcesJson {
  readonly zone: string;
  /** Sources in the runtime configuration. */
  readonly running: readonly string[];
  /** Sources in the permanent configuration. */
  readonly permanent: readonly string[];
}

/** `support-bundle`: the archive that was written. */
export interface SupportBundleDocument {
  readonly command: 'support-bundle';
  readonly outcome: 'written';
  /** Path of the support bundle. */
  readonly file: string;
  readonly sizeBytes: number;
  readonly entries: readonly BundleEntryJson[];
}

/** A file in a support bundle. */
export interface BundleEntryJson {
  readonly file: string;
  readonly bytes: number;
  /** Reason why the file is incomplete or missing; null if it is complete. */
  readonly note: string | null;
}

/** Returns the document of `doctor`. */
export function doctorDocument(checks: readonly CheckResult[]): DoctorDocument {
  return {
    command: 'doctor',
    outcome: checks.some(({ verdict }) => verdict === 'failed') ? 'failed' : 'fine',
    checks: checks.map(({ id, title, verdict, found, fix }) => ({ id, title, verdict, found, fix })),
  };
}

/** Returns the document of `bridge list`. */
export function bridgeListDocument(bridges: readonly BridgeState[], notes: readonly PlanNote[]): BridgeListDocument {
  return {
    command: 'bridge list',
    outcome: bridges.every(({ state }) => state === 'as-wanted') ? 'as-wanted' : 'drift',
    bridges: bridges.map(({ bridge, uplink, addresses, state, differences }) => ({
      bridge,
      uplink,
      addresses,
      state,
      differences: differencesJson(differences),
    })),
    notes: notesJson(notes),
  };
}

/** Returns the document of `firewall check`; `plan` is null if firewalld does not run. */
export function firewallCheckDocument(
  wanted: readonly TrustedSource[],
  plan: FirewallPlan | null,
): FirewallCheckDocument {
  const outcome = plan === null ? 'no-firewalld' : isComplete(plan) ? 'as-wanted' : 'drift';
  return { command: 'firewall check', outcome, wanted: sourcesJson(wanted), missing: zoneJson(plan) };
}

/**
 * Returns the document of `firewall apply`. `plan` has the sources that were added, and is null if firewalld does not
 * run.
 */
export function firewallApplyDocument(
  wanted: readonly TrustedSource[],
  plan: FirewallPlan | null,
): FirewallApplyDocument {
  const outcome = plan === null ? 'no-firewalld' : isComplete(plan) ? 'unchanged' : 'changed';
  return { command: 'firewall apply', outcome, wanted: sourcesJson(wanted), added: zoneJson(plan) };
}

function isComplete({ addRunning, addPermanent }: FirewallPlan): boolean {
  return addRunning.length + addPermanent.length === 0;
}

function sourcesJson(sources: readonly TrustedSource[]): readonly TrustedSourceJson[] {
  return sources.map(({ source, why }) => ({ source, why }));
}

function zoneJson(plan: FirewallPlan | null): ZoneSourcesJson | null {
  return plan && { zone: plan.zone, running: plan.addRunning, permanent: plan.addPermanent };
}

/** Returns the document of `support-bundle`. */
export function supportBundleDocument(
  file: string,
  sizeBytes: number,
  entries: readonly BundleEntryJson[],
): SupportBundleDocument {
  const listed = entries.map(({ file: name, bytes, note }) => ({ file: name, bytes, note }));
  return { command: 'support-bundle', outcome: 'written', file, sizeBytes, entries: listed };
}
