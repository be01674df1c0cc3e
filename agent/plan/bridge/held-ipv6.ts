import type { KernelEntries } from '../../model/kernel-entries.ts';
import { heldIpv6Seconds, standbyMetric } from '../../model/limits.ts';
import type { BridgeNames } from '../../model/names.ts';
import type { Observation } from '../../model/observation.ts';
import type { Step, WantedProfile } from '../../model/plan.ts';
import { numberOf } from '../../model/profile-settings.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';
import { type Ipv6Held, ipv6Hold } from './handover.ts';

/*
 * NetworkManager begins dynamic IPv6 without any state at each start of an interface, and knows an address only after a
 * router has advertised its prefix. Until then the bridge keeps the former addresses and default routes of the node,
 * which are added in the kernel.
 */

/**
 * Returns the means to preserve advertised IPv6 over a start of the bridge's interface, which begins IPv6 without any
 * state: entries that are added during the start, and steps that remove them afterwards. Returns null if the node has
 * no advertised address.
 */
export function bridgeDynamicIpv6(
  names: BridgeNames,
  final: WantedProfile,
  source: UplinkSource,
  observation: Observation,
): { readonly held: KernelEntries; readonly release: readonly Step[] } | null {
  const hold = ipv6Hold(final, source.addressLink, observation);
  return hold && { held: heldEntries(names, hold), release: releaseHeld(names, final, hold) };
}

/** Returns the held addresses and routes as entries of the bridge's own interface; `standbyMetric` identifies them. */
export function heldEntries(names: BridgeNames, hold: Ipv6Held): KernelEntries {
  const lifetimes = { validSeconds: heldIpv6Seconds, preferredSeconds: heldIpv6Seconds };
  const own = { metric: standbyMetric, noDad: true, deprecated: false, ...lifetimes };
  const route = { destination: '::/0', source: null, metric: standbyMetric, mtuBytes: null, table: null };
  return {
    interface: names.bridge,
    addresses: hold.addresses.map((address) => ({ address, ...own })),
    routes: hold.gateways.map((gateway) => ({ ...route, gateway })),
    neighbours: [],
  };
}

/** Returns the step that adds the held entries. */
export function holdStep(names: BridgeNames, hold: Ipv6Held): Step {
  return {
    do: 'changeKernel',
    entries: heldEntries(names, hold),
    required: true,
    why: `${names.bridge} answers for the IPv6 addresses until a router advertisement has given it the same ones`,
  };
}

/**
 * Returns the step that removes the held entries once the router's own default route is present. Returns no step if no
 * default route was held.
 */
export function releaseHeld(names: BridgeNames, final: WantedProfile, hold: Ipv6Held): readonly Step[] {
  const { id, uuid, settings } = final;
  if (hold.gateways.length === 0) return [];
  const ipv6DefaultMetric = numberOf(settings, 'ipv6', 'route-metric') ?? null;
  const why = 'the advertised default route takes over';
  const wait = { lease: false, ipv6DefaultMetric, heldMetric: standbyMetric };
  return [{ do: 'waitDynamic', id, uuid, interface: names.bridge, ...wait, why }];
}
