// Routes that the agent holds for a returning NIC: all routes of the node itself, with a metric of their own.
import t from 'tap';
import type { KernelAddress } from '../../../agent/model/kernel-entries.ts';
import type { Observation, Route } from '../../../agent/model/observation.ts';
import { planDisable } from '../../../agent/plan/make-plan.ts';
import { appliedCase } from './cases.ts';
import { changed } from './change.ts';

t.test("held routes never have the metric of the NIC's own profile", (t) => {
  const { observation } = appliedCase('static4');
  const heldMetric = (given: Observation): number | undefined =>
    planDisable(given).steps.flatMap((step) => (step.do === 'detachUplink' ? [step.metric] : []))[0];
  const asking = (metric: number): Observation =>
    changed(observation, { 'networkManager/profiles/[id=eth0]/settings/ipv4/route-metric': ['x', metric] });
  t.equal(heldMetric(observation), 47, 'the held metric is one less than that of the bridge');
  t.equal(heldMetric(asking(47)), 46, 'the held metric is one less again if the profile has that metric');
  t.equal(heldMetric(asking(100)), 47);
  t.end();
});

t.test(
  "held routes include the node's connected route although another program has an address of the same network",
  (t) => {
    const { observation } = appliedCase('static4');
    const nodesOwn = heldDestinations(observation);
    t.ok(nodesOwn.includes('192.0.2.0/24'), nodesOwn.join(' '));
    const beside = (address: string, routes: readonly Route[] = []): readonly string[] =>
      heldDestinations(withVirtualAddress(observation, address, routes));
    t.strictSame(beside('192.0.2.60/24'), nodesOwn, 'the kernel adds no route for a second address of a network');
    const others = connected('198.51.100.0/24', 0);
    t.strictSame(beside('198.51.100.60/24', [others]), nodesOwn, 'a connected route of another network stays');
    const second = connected('192.0.2.0/24', 0);
    t.strictSame(beside('192.0.2.60/24', [second]), nodesOwn, 'a second connected route of the network stays');
    t.end();
  },
);

function heldDestinations(observation: Observation): readonly string[] {
  return planDisable(observation).steps.flatMap((step) =>
    step.do === 'detachUplink' ? step.routes.map(({ destination }) => destination) : [],
  );
}

function connected(destination: string, metric: number): Route {
  return { family: 4, destination, gateway: null, device: 'br-ex', metric };
}

/** Returns the node with an IPv4 address that another program has added to br-ex, and with further routes. */
function withVirtualAddress(observation: Observation, prefixed: string, routes: readonly Route[]): Observation {
  const [address = '', length] = prefixed.split('/');
  const given: KernelAddress = { address: prefixed, metric: null, noDad: false, deprecated: false };
  const entry = {
    family: 4,
    address,
    prefixLength: Number(length),
    scope: 'global',
    tentative: false,
    dadFailed: false,
    temporary: false,
    deprecated: false,
    foreign: true,
  } as const;
  return {
    ...observation,
    links: observation.links.map((link) =>
      link.name === 'br-ex' ? { ...link, addresses: [...link.addresses, entry] } : link,
    ),
    routes: [...observation.routes, ...routes],
    foreign: [{ interface: 'br-ex', addresses: [given], routes: [], neighbours: [] }],
  };
}
