import type { Observation } from '../model/observation.ts';
import type { Difference, NetworkDifference, Plan, WantedBridge } from '../model/plan.ts';
import { inWords } from './in-words.ts';

/**
 * Change that a run makes: an object with its value before and after the run. A value is null if the object does not
 * exist at that time.
 */
export interface Change {
  readonly subject: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Path of the hint file that a run writes for the next boot. */
const hintFile = '/var/lib/ovnk/iface_default_hint';

/**
 * Returns the changes that a plan makes, in this order: bridges as a whole, properties of bridges, the hint file, and
 * the settings of the Open vSwitch daemons (`tuning`). Of the properties of one bridge, those that the agent derives
 * from other facts come last. A bridge that is made or removed is one change, and so is a bridge that gets another
 * uplink: the differences that follow from such a change are left out. `uplinkOf` returns the NIC that a bridge has
 * now, or null if it has none.
 */
export function changesOf(
  plan: Plan,
  tuning: readonly Difference[],
  observation: Observation,
  uplinkOf: (bridge: string) => string | null,
): readonly Change[] {
  const bridges = [...new Set(plan.differences.map(({ bridge }) => bridge))];
  const ofBridges = bridges.map((bridge) => {
    const differences = plan.differences.filter((difference) => difference.bridge === bridge);
    const wanted = plan.wanted.bridges.find((entry) => entry.bridge === bridge);
    return bridgeChanges(bridge, differences, wanted, plan, uplinkOf(bridge));
  });
  return [
    ...ofBridges.flatMap(({ whole }) => whole),
    ...ofBridges.flatMap(({ parts }) => parts),
    ...hintChange(plan, observation, uplinkOf),
    ...tuning.map(changeOf),
  ];
}

/** Changes of a bridge as a whole (made, removed, another uplink), and of its properties. */
interface BridgeChanges {
  readonly whole: readonly Change[];
  readonly parts: readonly Change[];
}

function bridgeChanges(
  bridge: string,
  differences: readonly NetworkDifference[],
  wanted: WantedBridge | undefined,
  { choice, wanted: { microshift = [] } }: Plan,
  uplink: string | null,
): BridgeChanges {
  if (differences.some(({ kind }) => kind === 'bridge') && wanted !== undefined) {
    const after = withUplink(wanted.uplink?.interface ?? null, bridge === 'br-ex' ? choice?.source : undefined);
    return { whole: [{ subject: `bridge ${bridge}`, before: null, after }], parts: [] };
  }
  if (wanted === undefined && differences.some(({ kind }) => kind === 'surplus' || kind === 'leftover')) {
    const isLeft = microshift.some((entry) => entry.bridge === bridge);
    const after = isLeft ? 'left to MicroShift' : null;
    const isThere = differences.some(({ kind }) => kind === 'surplus') || uplink !== null || isLeft;
    const removed = { subject: `bridge ${bridge}`, before: withUplink(uplink), after };
    if (isThere) return { whole: [removed], parts: [] };
  }
  const aim = wanted?.uplink?.interface ?? null;
  const isMoved = wanted !== undefined && aim !== uplink && differences.some(({ kind }) => portKinds.includes(kind));
  const moved: Change[] = isMoved
    ? [{ subject: `uplink of ${bridge}`, before: uplink ?? 'none', after: from(aim ?? 'none', choice?.source) }]
    : [];
  const rest = differences.filter(
    (difference) => !(isMoved && followsUplink(difference)) && !isShownByProfile(difference, differences),
  );
  const [asked, derived] = [rest.filter((one) => !isDerived(one)), rest.filter(isDerived)];
  return { whole: moved, parts: [...asked, ...derived].map((difference) => changeOf(inWords(difference))) };
}

/** Kinds of differences that state that a NIC is missing from the bridge, or that another NIC is in it. */
const portKinds: readonly string[] = ['port', 'foreign-device'] satisfies readonly NetworkDifference['kind'][];

function withUplink(uplink: string | null, source?: string): string {
  return from(uplink === null ? 'without an uplink' : `with the uplink ${uplink}`, source);
}

function from(text: string, source: string | undefined): string {
  return source === undefined ? text : `${text} (${source})`;
}

/** Properties that state which NIC a bridge has: the name, the MAC and the profile of the NIC. */
const ofUplink = ['ovs-external-ids.data', 'user.data', '802-3-ethernet.assigned-mac-address'];

function followsUplink(difference: NetworkDifference): boolean {
  if (difference.kind === 'setting') return ofUplink.includes(`${difference.setting}.${difference.key}`);
  return difference.kind === 'mac' || portKinds.includes(difference.kind);
}

/**
 * Returns true for an address that the bridge lacks only because the bridge's profile does not contain the desired
 * addresses yet.
 */
function isShownByProfile({ kind }: NetworkDifference, all: readonly NetworkDifference[]): boolean {
  return kind === 'address' && all.some((other) => other.kind === 'setting' && other.key === 'address-data');
}

/** Properties of a bridge's profile that the agent derives from other facts. */
const derivedKeys = [...ofUplink, 'connection.autoconnect', 'ipv4.dhcp-timeout', 'ipv4.dad-timeout'];

function isDerived(difference: NetworkDifference): boolean {
  return difference.kind === 'setting' && derivedKeys.includes(`${difference.setting}.${difference.key}`);
}

/** Values of a difference that state that the object does not exist. */
const absence = ['absent', '(unset)', '(empty)', 'none', 'no error'];

/** Returns a difference as a change. */
export function changeOf({ subject, wanted, observed }: Difference): Change {
  const [before, after] = [observed, wanted].map((value) => (absence.includes(value) ? null : value));
  if (before == null && after == null) return { subject, before: observed, after: wanted };
  return { subject: subject.replace(/^profile (?=\S+ \S+\.)/, ''), before: before ?? null, after: after ?? null };
}

/**
 * Returns the change of the hint file if br-ex keeps its NIC and the hint file names another NIC; an empty list
 * otherwise. An existing bridge takes precedence over the hint, and the run writes the name of the bridge's NIC into
 * the hint file.
 */
function hintChange(
  { choice, wanted }: Plan,
  { hints: { interfaceHint } }: Observation,
  uplinkOf: (bridge: string) => string | null,
): readonly Change[] {
  const uplink = choice?.interface ?? null;
  const isKept =
    uplink !== null && uplink === uplinkOf('br-ex') && wanted.bridges.some(({ bridge }) => bridge === 'br-ex');
  if (!isKept || interfaceHint === null || interfaceHint === uplink) return [];
  return [
    { subject: hintFile, before: interfaceHint, after: `${uplink} (${choice?.source}, which counts before the hint)` },
  ];
}
