import type { Difference, DifferenceKind, NetworkDifference, Plan } from '../model/plan.ts';
import { nmcliProperty, nmcliValue } from './nmcli-words.ts';

/**
 * Returns a difference with its subject, and with its desired and its observed value in words for the user. JSON output
 * has these words, and the other fields of the difference.
 */
export function inWords(difference: NetworkDifference): NetworkDifference & Difference {
  const words = { wanted: wordOf(difference, difference.wanted), observed: wordOf(difference, difference.observed) };
  const subjectOf = subjects[difference.kind] as ((difference: NetworkDifference) => string) | undefined;
  // A difference in the journal of an older agent has no kind, but a text that names its subject. This text is kept.
  return { subject: subjectOf?.(difference) ?? '', ...difference, ...words };
}

/** Returns a plan for JSON output, with its differences in words. */
export function planInWords(plan: Plan): Plan {
  return { ...plan, differences: plan.differences.map(inWords) };
}

/** Returns one line about a difference. */
export function differenceLine({ subject, wanted, observed }: Difference): string {
  return `${subject}: wanted ${wanted}, observed ${observed}`;
}

const portOf = ({ bridge, device }: { bridge: string; device: string }): string => `bridge ${bridge} port ${device}`;

const subjects: { readonly [K in DifferenceKind]: (difference: Extract<NetworkDifference, { kind: K }>) => string } = {
  profile: ({ profile }) => `profile ${profile}`,
  active: ({ profile }) => `profile ${profile} active`,
  setting: ({ profile, setting, key }) => `profile ${profile} ${nmcliProperty(setting, key)}`,
  leftover: ({ profile, uuid, onDisk }) => `profile ${profile} ${onDisk ? 'on disk' : `(${uuid})`}`,
  bridge: ({ bridge }) => `bridge ${bridge}`,
  surplus: ({ bridge }) => `bridge ${bridge}`,
  owner: ({ bridge }) => `owner of bridge ${bridge}`,
  port: portOf,
  'port-error': portOf,
  'foreign-device': portOf,
  given: ({ bridge, entry }) => `${entry} of another program on ${bridge}`,
  'others-port': ({ bridge, device }) => `port ${device} of another program in ${bridge}`,
  mac: ({ bridge }) => `MAC of ${bridge}`,
  loopback: ({ address }) => `address ${address} on lo`,
  signpost: () => 'the route by which MicroShift finds the address on lo',
  address: ({ bridge, address }) => `address ${address} on ${bridge}`,
  'uplink-configured': ({ device }) => `IP settings of ${device}`,
  'uplink-inactive': ({ device }) => `profile of ${device} active`,
};

/** Words that stand for a missing value, by the kind of the difference. */
const nothing: Partial<Readonly<Record<DifferenceKind, string>>> = {
  setting: '(unset)',
  owner: 'none',
  'port-error': 'no error',
  'uplink-configured': 'none',
};

function wordOf(difference: NetworkDifference, value: string | null): string {
  const { kind } = difference;
  if (value === null) return nothing[kind] ?? 'absent';
  if (difference.kind === 'setting') return nmcliValue(difference.setting, difference.key, value);
  return kind === 'uplink-configured' && value === 'configuring' ? 'NetworkManager is configuring it' : value;
}
