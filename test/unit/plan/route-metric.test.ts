// The agent reports a default route of another interface that takes precedence over that of the bridge, even one with
// the same metric that the kernel lists first.
import t from 'tap';
import { addedNames } from '../../../agent/model/added-names.ts';
import { type BridgeNames, externalBridge, gatewayBridge } from '../../../agent/model/names.ts';
import { bridgeRouteMetric } from '../../../agent/plan/profiles/route-metric.ts';
import { uplinkSource } from '../../../agent/plan/uplink/source-profile.ts';
import { appliedCase, readCase } from './cases.ts';
import { changed } from './change.ts';

const { observation } = readCase('dhcp');
const [route] = observation.routes.filter(({ destination }) => destination === '0.0.0.0/0');

function notesBeside(metric: number): readonly string[] {
  const beside = changed(observation, { 'routes/[+]': { ...route, device: 'eth1', metric } });
  const chosen = { gateway: 'eth0', external: null };
  const { notes } = bridgeRouteMetric(gatewayBridge, uplinkSource(gatewayBridge, 'eth0', beside), beside, chosen);
  return notes.map(({ message }) => message);
}

t.test('a default route beside that of br-ex', (t) => {
  const wins = (metric: number) => [
    `another interface has an IPv4 default route with metric ${metric}, which wins against br-ex`,
  ];
  t.strictSame(notesBeside(47), wins(47));
  t.strictSame(notesBeside(48), wins(48));
  t.strictSame(notesBeside(49), []);
  t.end();
});

t.test('a metric in the profile of a NIC', (t) => {
  const set = changed(observation, {
    'networkManager/profiles/[id=eth0]/settings/ipv4/route-metric': ['x', 700],
    'routes/[+]': { ...route, device: 'eth1', metric: 300 },
  });
  const metricOf = (names: BridgeNames): number =>
    bridgeRouteMetric(names, uplinkSource(names, 'eth0', set), set, { gateway: 'eth0', external: null }).ipv4;
  const added = addedNames('breth0', 50);
  t.equal(metricOf(added), 700, "a bridge of `bridge add` keeps the metric of the NIC's profile");
  t.equal(
    metricOf(gatewayBridge),
    gatewayBridge.routeMetric,
    'br-ex gets its own metric, because its route would not be preferred otherwise',
  );
  t.end();
});

t.test('the metric of br-ex1 while br-ex changes its NIC', (t) => {
  const set = changed(appliedCase('ingress-external').observation, {
    'networkManager/profiles/[id=eth1]/settings/ipv4/route-metric': ['x', 77],
  });
  const beside = (gateway: string | null): number =>
    bridgeRouteMetric(externalBridge, uplinkSource(externalBridge, 'eth1', set), set, { gateway, external: 'eth1' })
      .ipv4;
  t.equal(beside('eth0'), externalBridge.routeMetric, 'the default route of br-ex has the metric 48');
  t.equal(beside('eth2'), 77, 'eth0 leaves br-ex with the default route, and its own profile has the metric 100');
  t.equal(beside(null), 77);
  t.end();
});
