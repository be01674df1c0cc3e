// Services that lose an address and port to another service, without a change of their own.
import t from 'tap';
import type { Service } from '../../../../agent/model/workload.ts';
import { displacedBy } from '../../../../agent/workload/services/displaced.ts';
import { IndexedServices } from '../../../../agent/workload/services/indexed-services.ts';
import { outsideOf } from '../../../../agent/workload/services/outside.ts';
import { readService } from '../../../../agent/workload/services/read-service.ts';
import { gatewayOf, nodeOf } from '../../overlay/cluster.ts';
import { factsFor, serviceObject } from './facts.ts';

const nodes = [nodeOf(1, { gateway: gatewayOf(1) })];

function balanced(name: string, day: number, address: string, special: object = {}): Service {
  const metadata = { creationTimestamp: `2026-01-0${day}T00:00:00Z` };
  const status = { loadBalancer: { ingress: [{ ip: address }] } };
  return readService(serviceObject(name, { type: 'LoadBalancer', ...special }, status, metadata));
}

/** Returns the sentences about the services that `service` displaces among `others`. */
function displaced(service: Service, before: Service | undefined, ...others: readonly Service[]) {
  const services = new IndexedServices();
  for (const one of [...others, service]) services.set(`${one.namespace}/${one.name}`, one);
  const facts = factsFor([], nodes);
  const outside = outsideOf({ ...facts, workload: { ...facts.workload, services } });
  return [...displacedBy(service, before, services, outside)].map(([{ name }, notes]) => [name, ...notes]);
}

t.test('an older service takes an address and port', (t) => {
  const [older, younger] = [balanced('older', 1, '203.0.113.9'), balanced('younger', 2, '203.0.113.9')];
  const lost = [
    'younger',
    '203.0.113.9 port 80 is not served: service default/older has it; take another address or port',
  ];
  t.strictSame(displaced(older, undefined, younger), [lost], 'a new service');
  t.strictSame(displaced(older, balanced('older', 1, '203.0.113.8'), younger), [lost], 'another address than before');
  t.strictSame(displaced(older, older, younger), [], 'a service that had the address before');
  t.strictSame(displaced(younger, undefined, older), [], 'a younger service takes nothing');
  t.strictSame(displaced(older, undefined, balanced('apart', 2, '203.0.113.8')), [], 'another address');
  t.end();
});

t.test('a NodePort takes the port of a load balancer at an address of a node', (t) => {
  const ports = [{ port: 30_080, protocol: 'TCP' }];
  const other = balanced('other', 1, '192.0.2.11', { ports });
  const web = readService(serviceObject('web', { ports: [{ port: 80, protocol: 'TCP', nodePort: 30_080 }] }));
  t.strictSame(displaced(web, undefined, other), [
    ['other', '192.0.2.11 port 30080 is not served: 30080 is a NodePort of service default/web; take another port'],
  ]);
  t.strictSame(displaced(web, web, other), []);
  t.strictSame(displaced(web, undefined, balanced('outside', 1, '203.0.113.9', { ports })), []);
  t.end();
});
