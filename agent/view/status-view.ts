import type { MissingPart } from '../compare/manual-bridge.ts';
import type { PendingChange } from '../compare/pending-change.ts';
import type { ConfigWarning } from '../model/config.ts';
import type { JournalRecord } from '../model/journal.ts';
import { type Membership, membershipFault } from '../model/missing-port.ts';
import type { Observation } from '../model/observation.ts';
import type { Difference } from '../model/plan.ts';
import { warningLines } from './config-view.ts';
import { pendingLines } from './pending-view.ts';
import { joinLines, type Style } from './style.ts';
import { relativeTime } from './time.ts';
import { drawTopology, observedTopology } from './topology.ts';
import { daemonLine } from './tuning-view.ts';

/** State of this node in its overlay, as far as `status` shows it. */
export interface OverlayPart {
  readonly node: string;
  readonly role: 'central' | 'member';
  readonly membership: Membership;
  /** True if ovn-controller is running. */
  readonly hasController: boolean;
  readonly isRunning: boolean;
  /** Last error of the daemon; null if it reports none. */
  readonly failure: string | null;
}

export interface StatusView {
  readonly observation: Observation;
  /** Error of ovs-vswitchd; null if it answers. */
  readonly vswitchd: string | null;
  readonly last: JournalRecord | null;
  /** State of this node in its overlay; null if the node is not in an overlay. */
  readonly overlay: OverlayPart | null;
  /** Change that waits for confirmation; null if no change waits. */
  readonly pending: PendingChange | null;
  /** Time of the observation, in milliseconds since 1970. */
  readonly nowMs: number;
  readonly differences: readonly Difference[];
  /** Reason why planning failed, or why the record of the overlay cannot be read; null if neither is the case. */
  readonly problem: string | null;
  /** Warnings about settings that could not be read from MicroShift's own configuration. */
  readonly unknown: readonly ConfigWarning[];
}

/**
 * Returns the text of `status`, in this order: topology, services, tuning, last transaction, overlay, conclusion, next
 * step.
 */
export function statusText(view: StatusView, style: Style): string {
  const { observation, last, pending, differences, problem } = view;
  const { networkManager, ovs } = observation;
  const lines = [
    ...drawTopology(observedTopology(observation), style).split('\n'),
    `NetworkManager  ${networkManager.version}${networkManager.ovsPlugin ? '' : ' (without its Open vSwitch plugin)'}`,
    `Open vSwitch    ${ovs.version ?? '?'}${view.vswitchd === null ? '' : `; ${style('red', view.vswitchd)}`}`,
    ...(observation.tuning?.daemons ?? []).map((daemon) => `  ${daemonLine(daemon)}`),
    `Last run        ${lastText(last, view.nowMs)}`,
  ];
  if (view.overlay !== null) lines.push(`Overlay         ${overlayText(view.overlay, style)}`);
  if (problem !== null) lines.push('', style('red', problem));
  else if (differences.length > 0) {
    lines.push(
      '',
      // Missing kernel entries and ports of other programs have a line each: ovn.yaml does not contain them, so the
      // number of differences from ovn.yaml does not explain them.
      ...differences.flatMap(missingOfOthers).map((line) => style('yellow', line)),
      style(
        'yellow',
        `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'} from ovn.yaml; see \`microshift-net plan\`, repair with \`microshift-net apply\``,
      ),
    );
  } else if (pending === null) lines.push('', wantedText(view, style));
  if (pending !== null) lines.push('', ...pendingLines(pending, view.nowMs, style));
  lines.push(...warningLines(view.unknown));
  const hasOverlayProblem = view.overlay !== null && overlayProblem(view.overlay) !== null;
  if (problem !== null || view.vswitchd !== null || view.unknown.length > 0 || hasOverlayProblem)
    lines.push('Find the cause and the fix with: microshift-net doctor');
  return joinLines(lines);
}

function lastText(last: JournalRecord | null, nowMs: number): string {
  if (last === null) return 'none';
  const { header, state, stateAt } = last;
  return `${header.id} ${header.command}: ${state} ${relativeTime(Date.parse(stateAt), nowMs)}`;
}

/**
 * Returns the role of a node in its overlay, and the faults of the node; without faults, the text says that the daemon
 * runs.
 */
function overlayText(part: OverlayPart, style: Style): string {
  const what = part.role === 'central' ? `${part.node}, the central node` : `${part.node}, a member`;
  const faults = overlayFaults(part).map((fault) => style('red', fault));
  return [what, ...(faults.length === 0 ? ['its daemon runs'] : faults)].join('; ');
}

/** Returns the first fault of a node's part in an overlay; null if it has no fault. */
export function overlayProblem(part: OverlayPart): string | null {
  return overlayFaults(part)[0] ?? null;
}

function overlayFaults({ node, membership, hasController, isRunning, failure }: OverlayPart): readonly string[] {
  const daemon = isRunning ? failure : 'its daemon is not running: systemctl start microshift-net-overlay';
  const controller = hasController ? null : 'ovn-controller is not running: systemctl start ovn-controller';
  return [membershipFault(node, membership), controller, daemon].filter((fault) => fault !== null);
}

/**
 * Returns the conclusion about a node without differences. The conclusion covers only the compared parts: not the rows
 * of the overlay, not Open vSwitch while ovs-vswitchd does not answer, and no settings that cannot be read.
 */
function wantedText({ overlay, vswitchd, unknown }: StatusView, style: Style): string {
  if (vswitchd !== null)
    return style('yellow', 'No difference from ovn.yaml was found, but ovs-vswitchd does not answer.');
  const known = unknown.length === 0 ? '' : ', as far as its settings are known';
  const colour = known === '' ? 'green' : 'yellow';
  if (overlay === null) return style(colour, `The node is in the desired state${known}.`);
  const wanted = `br-ex and Open vSwitch are in the desired state${known}`;
  return overlayProblem(overlay) === null
    ? style(colour, `${wanted}; \`microshift-net overlay verify\` compares the overlay.`)
    : style('yellow', `${wanted}; the overlay has the fault above, and \`microshift-net overlay verify\` shows more.`);
}

/**
 * Returns a line for a kernel entry or a port of another program that has been missing since a bridge was created
 * again; an empty list for any other difference.
 */
function missingOfOthers(difference: Difference & { readonly kind?: string }): readonly string[] {
  const isOfOthers = difference.kind === 'given' || difference.kind === 'others-port';
  return isOfOthers ? [`${difference.subject} went when the bridge was made again, and is missing`] : [];
}

/** Returns the missing parts of a bridge that was created by hand, each with its command. */
export function missingText(lacks: readonly MissingPart[]): string {
  if (lacks.length === 0) return 'br-ex has all that ovn-kubernetes needs.';
  return joinLines(['ovn-kubernetes cannot use br-ex yet:', ...lacks.map(({ what, fix }) => `  ${what}: ${fix}`)]);
}
