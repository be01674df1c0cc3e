import type { Config } from '../../model/config.ts';
import { noEntries } from '../../model/kernel-entries.ts';
import { addressesOf, type Observation } from '../../model/observation.ts';
import type { NetworkDifference, PlanNote, Step } from '../../model/plan.ts';
import { isDefault } from '../../net/destination.ts';
import { loopbackAddresses } from '../microshift-address.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';
import { stableAddresses } from './handover.ts';

/*
 * MicroShift looks for the node's IPv4 address on every interface but br-ex, and for its IPv6 address on each, and restarts itself for ever where it
 * does not find the one or finds another. The same address on lo, too, is found there, first of all (plan/microshift-address.ts has the rules), costs nothing and changes no route.
 */

/** Addresses of the uplink that lo must have while br-ex has them. */
export function wantedOnLoopback(config: Config, source: UplinkSource, observation: Observation): readonly string[] {
  if (config.cluster.nodeIp.value === null && observation.host.hasMicroShiftScript !== true) return [];
  const addresses = stableAddresses(source.addressLink).map((address) => address.split('/')[0] ?? '');
  const hasDefaultRoute = observation.routes.some((route) => isDefault(route.destination));
  return loopbackAddresses(config.cluster, { addresses, hasDefaultRoute });
}

/** Says why lo gets what it lacks. */
export function loopbackNotes(addresses: readonly string[], { links }: Observation): readonly PlanNote[] {
  const present = addressesOf(links.find((link) => link.name === 'lo'));
  const lacking = addresses.filter((address) => !present.includes(address));
  return lacking.map((address) => ({
    level: 'info',
    message: `${address} goes on lo, too: MicroShift looks for the node's address beside br-ex, and restarts itself where it is not`,
  }));
}

/** The step for what lo lacks: before anything moves, so that MicroShift finds the address all the time. */
export function giveLoopback(differences: readonly NetworkDifference[]): readonly Step[] {
  const missing = loopbackDifferences(differences, 'present');
  if (missing.length === 0) return [];
  const own = { metric: null, noDad: true, deprecated: false };
  const entries = { ...none, addresses: missing.map((address) => ({ address, ...own })) };
  const why = 'MicroShift finds the node by it, where it does not look on br-ex, or meets others there first';
  return [{ do: 'changeKernel', entries, required: false, why }];
}

/** The step for what lo has and need not have. */
export function clearLoopback(addresses: readonly string[]): readonly Step[] {
  if (addresses.length === 0) return [];
  const why = 'MicroShift finds it without that';
  return [{ do: 'changeKernel', entries: none, removed: addresses, required: false, why }];
}

/** Addresses that lo lacks (`present` is wanted), or has and need not have. */
export function loopbackDifferences(
  differences: readonly NetworkDifference[],
  wanted: 'present' | 'absent',
): readonly string[] {
  return differences.flatMap((entry) => (entry.kind === 'loopback' && entry.wanted === wanted ? [entry.address] : []));
}

const none = noEntries('lo');
