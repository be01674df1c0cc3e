// Properties of a node whose NIC is the uplink of br-ex, for every test that moves a NIC.
import { isDeepStrictEqual } from 'node:util';
import type { Test } from 'tap';
import type { NodeState } from './state.ts';

export const ownProfiles = ['br-ex', 'ovs-if-br-ex', 'ovs-port-br-ex'];

/**
 * Asserts that two lists are equal. If they differ, the title of the assertion contains both, because some test runners
 * print only the titles of failures.
 */
export function areSame(t: Test, actual: readonly unknown[], wanted: readonly unknown[], what: string): void {
  const unlike = isDeepStrictEqual(actual, wanted) ? '' : `: ${JSON.stringify(actual)} for ${JSON.stringify(wanted)}`;
  t.strictSame(actual, wanted, `${what}${unlike}`);
}

/** Asserts that br-ex has everything that the uplink had: addresses, MAC, MTU, default routes and name servers. */
export function hasMoved(t: Test, before: NodeState, after: NodeState, uplink = 'eth0'): void {
  const gatewaysOf = (state: NodeState, device: string): (string | undefined)[] =>
    ([4, 6] as const).flatMap((family) =>
      state.defaultRoutes(family).flatMap((route) => (route.dev === device ? [route.gateway] : [])),
    );
  areSame(t, after.addressesOf('br-ex'), before.addressesOf(uplink), 'the addresses are on br-ex');
  t.strictSame(after.addressesOf(uplink), [], 'no other link has the addresses');
  areSame(t, gatewaysOf(after, 'br-ex'), gatewaysOf(before, uplink), 'the default routes go through br-ex');
  t.strictSame(gatewaysOf(after, uplink), [], `no default route goes through ${uplink}`);
  t.equal(after.link('br-ex')?.mac, before.link(uplink)?.mac, 'br-ex has the MAC of the NIC');
  t.equal(after.link('br-ex')?.mtu, before.link(uplink)?.mtu, 'br-ex has the MTU of the NIC');
  t.strictSame(after.nameservers(), before.nameservers(), 'the name servers stay');
  const port = after.portsOf('br-ex').find((entry) => entry.port === uplink);
  t.match(port?.interfaces, [{ name: uplink, ofport: 1 }], `${uplink} is port 1 of br-ex`);
  t.strictSame(after.interfacesOf('br-ex'), ['br-ex', uplink].sort());
  for (const name of ownProfiles) {
    t.match(
      after.profile(name),
      { active: true, filename: /^\/run\/NetworkManager\// },
      `${name} is active, from memory`,
    );
  }
}
