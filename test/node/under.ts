// What must hold while a NIC is put under a bridge of its own, and after.
import type { Test } from 'tap';
import { areSame } from './moved.ts';
import type { MeasuredRun } from './node.ts';
import type { NodeState } from './state.ts';

const addresses = ['192.0.2.50', '203.0.113.50'];

/** A node that is cut off is away for as long as two activations take, which are seconds; what else runs on the machine costs some tenths. */
const awayLimitMs = 1_000;

/** Asserts that the LAN could reach both addresses all through a run. */
export function reachable(t: Test, run: MeasuredRun): void {
  for (const address of addresses) {
    const ms = run.outageMs[address] ?? Number.POSITIVE_INFINITY;
    t.ok(ms < awayLimitMs, `${address} was away for ${ms} ms, in a run of ${Math.round(run.wallMs)} ms`);
  }
}

/** Asserts that a bridge has everything that its NIC had: addresses, routes, name servers; and its place among the default routes. */
export function isUnder(t: Test, before: NodeState, after: NodeState, nic: string): void {
  const bridge = `br${nic}`;
  areSame(t, after.addressesOf(bridge), before.addressesOf(nic), `the addresses are on ${bridge}`);
  t.strictSame(after.addressesOf(nic), [], 'and nowhere else');
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
