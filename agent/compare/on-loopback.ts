import { noEntries } from '../model/kernel-entries.ts';
import { loopbackMetric } from '../model/limits.ts';
import { addressesOf, type Observation } from '../model/observation.ts';
import type { NetworkDifference, WantedBridge } from '../model/plan.ts';
import { lostEntries } from './compare-others.ts';

/* Comparison of the addresses on lo with those that MicroShift needs there (plan/microshift-needs.ts). */

const missing = { wanted: 'present', observed: 'absent' } as const;
const superfluous = { wanted: 'absent', observed: 'present' } as const;

/** Returns the differences of lo: addresses that it lacks, and addresses that are superfluous. */
export function compareLoopback(
  { bridge, loopback = [] }: WantedBridge,
  observation: Observation,
): readonly NetworkDifference[] {
  const present = addressesOf(observation.links.find((entry) => entry.name === 'lo'));
  const lacking = loopback.filter((address) => !present.includes(address));
  const surplus = surplusOnLoopback(bridge, observation).filter((address) => !loopback.includes(address));
  return [
    ...lacking.map((address) => ({ bridge, kind: 'loopback', address, ...missing }) as const),
    ...surplus.map((address) => ({ bridge, kind: 'loopback', address, ...superfluous }) as const),
  ];
}

/**
 * Returns the remains of br-ex on a node where br-ex is not desired: addresses on lo, and the default route that leads
 * MicroShift to lo.
 */
export function compareUnused(observation: Observation): readonly NetworkDifference[] {
  const given = givenToLoopback(observation);
  return [
    ...given.map((address) => ({ bridge: passedOver, kind: 'loopback', address, ...superfluous }) as const),
    ...(observation.signpost === true ? [{ bridge: passedOver, kind: 'signpost', ...superfluous } as const] : []),
  ];
}

/**
 * Compares the signpost, the default route that leads MicroShift to lo, with the desired one. Only br-ex has a
 * signpost.
 */
export function compareSignpost(
  { bridge, signpost }: WantedBridge,
  observation: Observation,
): readonly NetworkDifference[] {
  if (bridge !== passedOver || signpost === observation.signpost) return [];
  return [{ bridge, kind: 'signpost', ...(signpost === true ? missing : superfluous) }];
}

/**
 * Returns the addresses that the agent added to lo (`address/prefix`), including those that br-ex no longer has because
 * its lease has changed.
 */
export function givenToLoopback({ foreign = [] }: Pick<Observation, 'foreign'>): readonly string[] {
  const { addresses } = foreign.find((entries) => entries.interface === 'lo') ?? noEntries('lo');
  return addresses.filter(({ metric }) => metric === loopbackMetric).map(({ address }) => address);
}

/**
 * Name of the bridge that MicroShift ignores when it looks for the node's address. The agent adds only addresses of
 * this bridge to lo.
 */
export const passedOver = 'br-ex';

/**
 * Returns the addresses on lo that are superfluous unless the desired state contains them: the addresses that the agent
 * added, and those that MicroShift added while br-ex did not exist (openshift/microshift, pkg/node/netconfig.go). An
 * address that MicroShift added is returned only if br-ex has this address now, or if the agent restores the address on
 * br-ex as a foreign one. Empty for any other bridge than br-ex.
 */
export function surplusOnLoopback(
  bridge: string,
  observation: Pick<Observation, 'links' | 'foreign' | 'others'>,
): readonly string[] {
  if (bridge !== passedOver) return [];
  const { links, foreign = [] } = observation;
  const present = links.find((entry) => entry.name === bridge)?.addresses.map((entry) => entry.address) ?? [];
  const restored = lostEntries(bridge, observation).addresses.map(({ address }) => address.split('/')[0] ?? '');
  const own = [...present, ...restored];
  const { addresses } = foreign.find((entries) => entries.interface === 'lo') ?? noEntries('lo');
  const shared = addresses.map(({ address }) => address).filter((text) => own.includes(text.split('/')[0] ?? ''));
  return [...new Set([...givenToLoopback(observation), ...shared])];
}
