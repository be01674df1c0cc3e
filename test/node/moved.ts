// What must hold once a node's NIC is the uplink of br-ex, said once for every test that moves one.
import type { Test } from 'tap';
import type { NodeState } from './state.ts';

export const ownProfiles = ['br-ex', 'ovs-if-br-ex', 'ovs-if-phys0', 'ovs-port-br-ex', 'ovs-port-phys0'];

/** Asserts that br-ex has everything that eth0 had: addresses, MAC, MTU, default routes and name servers. */
export function hasMoved(t: Test, before: NodeState, after: NodeState): void {
  const gatewaysOf = (state: NodeState, device: string): (string | undefined)[] =>
    ([4, 6] as const).flatMap((family) =>
      state.defaultRoutes(family).flatMap((route) => (route.dev === device ? [route.gateway] : [])),
    );
  t.strictSame(after.addressesOf('br-ex'), before.addressesOf('eth0'), 'the addresses are on br-ex');
  t.strictSame(after.addressesOf('eth0'), [], 'and nowhere else');
  t.strictSame(gatewaysOf(after, 'br-ex'), gatewaysOf(before, 'eth0'), 'the default routes go through br-ex');
  t.strictSame(gatewaysOf(after, 'eth0'), [], 'and none through eth0');
  t.equal(after.link('br-ex')?.mac, before.link('eth0')?.mac, 'br-ex has the MAC of the NIC');
  t.equal(after.link('br-ex')?.mtu, before.link('eth0')?.mtu, 'and its MTU');
  t.strictSame(after.nameservers(), before.nameservers(), 'the name servers stay');
  const uplink = after.portsOf('br-ex').find((port) => port.port === 'eth0');
  t.match(uplink?.interfaces, [{ name: 'eth0', ofport: 1 }], 'eth0 is port 1 of br-ex');
  t.strictSame(after.interfacesOf('br-ex'), ['br-ex', 'eth0']);
  for (const name of ownProfiles) {
    t.match(
      after.profile(name),
      { active: true, filename: /^\/run\/NetworkManager\// },
      `${name} is active, from memory`,
    );
  }
}
