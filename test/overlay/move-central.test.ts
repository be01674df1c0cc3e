// Another node becomes the central node, with the commands of docs/use/overlay-commands.md in their order.
import t from 'tap';
import { form } from './form.ts';
import { type Host, missingForHosts, startCentral, startController, startLan } from './hosts.ts';
import { ping } from './ping.ts';

const skip = missingForHosts() ?? false;

t.test('the central node moves', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2, n3] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('n3', 13)];
  form(t, [n1, n2, n3]);
  for (const host of [n3, n2]) {
    t.match(host.agent('overlay', 'leave'), { status: 0 }, `${host.name} leaves`);
    t.match(n1.agent('overlay', 'leave', '--node', host.name), { status: 0 });
  }
  t.match(n1.agent('overlay', 'leave'), { status: 0 }, 'the central node leaves last');
  // `leave` has stopped ovn-controller, which the units would start again on a node with systemd.
  for (const host of [n1, n2, n3]) startController(host);
  startCentral(n3);
  t.match(n3.agent('overlay', 'init'), { status: 0, stdout: /n3 has 10\.42\.0\.0\/24/ });
  const join = (host: Host): void => {
    const request = host.agent('overlay', 'pki', 'request').stdout;
    const words = ['issue', host.name, '--system-id', `${host.name}-of-the-test`, '--request', '-'];
    const bundle = n3.agentWith(request, 'overlay', 'pki', ...words).stdout;
    t.match(host.agentWith(bundle, 'overlay', 'join', '-'), { status: 0 }, `${host.name} joins again`);
  };
  for (const host of [n1, n2]) join(host);
  for (const host of [n1, n2, n3]) t.match(host.agent('overlay', 'verify'), { status: 0 });
  t.ok(ping(n1, '10.42.0.2'), 'the new central node is reached');
  t.ok(ping(n2, '10.42.1.2'), 'the former central node is reachable');
});
