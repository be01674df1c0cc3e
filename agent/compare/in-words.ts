import type { Difference, DifferenceKind, NetworkDifference, Plan } from '../model/plan.ts';

/** A difference as people read it; JSON output has its words beside its fields. */
export function inWords(difference: NetworkDifference): NetworkDifference & Difference {
  const { kind, wanted, observed } = difference;
  const words = { wanted: wordOf(kind, wanted), observed: wordOf(kind, observed) };
  // Last, because a journal of an agent that wrote words has them already.
  return { subject: subjectOf(difference), ...difference, ...words };
}

/** A plan for JSON output: its differences in words, too. */
export function planInWords(plan: Plan): Plan {
  return { ...plan, differences: plan.differences.map(inWords) };
}

/** One line about a difference. */
export function differenceLine({ subject, wanted, observed }: Difference): string {
  return `${subject}: wanted ${wanted}, observed ${observed}`;
}

function subjectOf(difference: NetworkDifference): string {
  const { bridge } = difference;
  switch (difference.kind) {
    case 'profile':
      return `profile ${difference.profile}`;
    case 'active':
      return `profile ${difference.profile} active`;
    case 'setting':
      return `profile ${difference.profile} ${difference.setting}.${difference.key}`;
    case 'leftover':
      return `profile ${difference.profile} ${difference.onDisk ? 'on disk' : `(${difference.uuid})`}`;
    case 'bridge':
    case 'surplus':
      return `bridge ${bridge}`;
    case 'owner':
      return `owner of bridge ${bridge}`;
    case 'port':
    case 'port-error':
    case 'foreign-device':
      return `bridge ${bridge} port ${difference.device}`;
    case 'mac':
      return `MAC of ${bridge}`;
    case 'address':
      return `address ${difference.address} on ${bridge}`;
    case 'uplink-configured':
      return `IP settings of ${difference.device}`;
    case 'uplink-inactive':
      return `profile of ${difference.device} active`;
  }
}

/** What null means. */
const nothing: Partial<Readonly<Record<DifferenceKind, string>>> = {
  setting: '(unset)',
  owner: 'nobody',
  'port-error': 'no error',
  'uplink-configured': 'none',
};

function wordOf(kind: DifferenceKind, value: string | null): string {
  if (value === null) return nothing[kind] ?? 'absent';
  return kind === 'uplink-configured' && value === 'configuring' ? 'NetworkManager is configuring it' : value;
}
