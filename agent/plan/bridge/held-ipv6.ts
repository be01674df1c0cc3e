import type { KernelEntries } from '../../model/kernel-entries.ts';
import { heldIpv6Seconds, standbyMetric } from '../../model/limits.ts';
import type { BridgeNames } from '../../model/names.ts';
import type { Observation } from '../../model/observation.ts';
import type { Step, WantedProfile } from '../../model/plan.ts';
import { numberOf } from '../../model/profile-settings.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';
import { type Ipv6Held, ipv6Hold } from './handover.ts';

/*
 * NetworkManager begins dynamic IPv6 without any state at each activation of an interface, and knows an address only
 * after a router has advertised its prefix. Until then, the bridge keeps the former addresses and default routes of the
 * node, which the agent adds in the kernel.
 */

/**
 * Returns the entries and steps that preserve IPv6 while the bridge's interface is activated again: entries that are
 * added during the activation, and steps that remove the added routes afterwards. The added addresses expire unless a
 * router advertises their prefix again. Returns null if the profile does not configure IPv6 dynamically, or if the node
 * has no IPv6 address that has to be held.
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

/**
 * Returns the held addresses and routes as entries of the bridge's internal interface. They are identified by their
 * metric, `standbyMetric`.
 */
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
 * Returns the step that removes the held routes once the router's own default route is present. Returns no step if no
 * default route was held. The held addresses expire unless a router advertises their prefix again.
 */
export function releaseHeld(names: BridgeNames, final: WantedProfile, hold: Ipv6Held): readonly Step[] {
  const { id, uuid, settings } = final;
  if (hold.gateways.length === 0) return [];
  const ipv6DefaultMetric = numberOf(settings, 'ipv6', 'route-metric') ?? null;
  const why = 'the advertised default route takes over';
  const wait = { lease: false, ipv6DefaultMetric, heldMetric: standbyMetric };
  return [{ do: 'waitDynamic', id, uuid, interface: names.bridge, ...wait, why }];
}
