// A default route of another interface that wins against the bridge's is reported: with the same metric, too, because the kernel has it first.
import t from 'tap';
import { gatewayBridge } from '../../../agent/model/names.ts';
import { bridgeRouteMetric } from '../../../agent/plan/profiles/route-metric.ts';
import { uplinkSource } from '../../../agent/plan/uplink/source-profile.ts';
import { readCase } from './cases.ts';
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
