// Properties of a node while `bridge add` moves a NIC, and afterwards.
import type { Test } from 'tap';
import { areSame } from './moved.ts';
import type { MeasuredRun } from './node.ts';
import { stayedReachable } from './reachability.ts';
import type { NodeState } from './state.ts';

const addresses = ['192.0.2.50', '203.0.113.50'];

/** Asserts that the addresses of both NICs answered the LAN during a run and after it. */
export function reachable(t: Test, run: MeasuredRun): void {
  stayedReachable(t, run, addresses);
}

/**
 * Asserts that a bridge has everything that its NIC had: addresses, routes, name servers; and its place among the
 * default routes.
 */
export function isUnder(t: Test, before: NodeState, after: NodeState, nic: string): void {
  const bridge = `br${nic}`;
  areSame(t, after.addressesOf(bridge), before.addressesOf(nic), `the addresses are on ${bridge}`);
  t.strictSame(after.addressesOf(nic), [], 'no other link has the addresses');
  t.strictSame(after.interfacesOf(bridge), [bridge, nic].sort());
  t.equal(after.link(bridge)?.mac, before.link(nic)?.mac, 'the bridge has the MAC of the NIC');
  const gateways = (state: NodeState) => state.defaultRoutes(4).map((route) => route.gateway);
  areSame(t, gateways(after), gateways(before), 'the default routes win in the same order');
  const routes = (state: NodeState, device: string) =>
    state.data.routes4
      .filter((route) => route.dev === device && route.table === 'main')
      .map(({ dst, gateway }) => ({ dst, gateway }));
  areSame(
    t,
    routes(after, bridge).toSorted(byDestination),
    routes(before, nic).toSorted(byDestination),
    'every route is there',
  );
  areSame(t, after.nameservers().toSorted(), before.nameservers().toSorted(), 'the name servers stay');
  t.match(after.profile(nic), { active: true, filename: /^\/etc\// }, 'the NIC runs its own profile');
}

function byDestination(one: { dst: string }, other: { dst: string }): number {
  return one.dst < other.dst ? -1 : 1;
}
