// The CNI plug-in on real nodes: pods get their interfaces and reach each other, and whatever dies leaves nothing.
import t from 'tap';
import { apiServerFor } from '../cluster/session.ts';
import { startDaemon } from './daemon.ts';
import { form } from './form.ts';
import { missingForHosts, startLan } from './hosts.ts';
import { addressPod, cni, createPod, installShim, leftOvers, makeSandbox } from './pods.ts';
import { nodeKubeconfig, offerApi } from './relay.ts';

const skip = missingForHosts() ?? false;

t.test('pods of two nodes', { skip }, async (t) => {
  const server = await apiServerFor(t);
  if (server === null) return;
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  await offerApi(t, server, [n1, n2]);
  for (const host of [n1, n2]) {
    host.write('/etc/microshift/ovn.yaml', `ovs:\n  datapathType: netdev\noverlay:\n  kubeconfig: ${nodeKubeconfig}\n`);
    installShim(host);
  }
  form(t, [n1, n2]);
  await server.call('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  for (const host of [n1, n2]) await startDaemon(host);
  const id = (n: number) => n.toString(16).padStart(4, '0').repeat(16);
  const a = await createPod(server, 'n1', 'a');
  const b = await createPod(server, 'n2', 'b');
  const pa = await addressPod(server, n1, 'n1', 'a', a.uid, '10.42.0.3/24');
  const pb = await addressPod(server, n1, 'n2', 'b', b.uid, '10.42.1.3/24');
  const sa = makeSandbox(n1, id(1), pa);
  const sb = makeSandbox(n2, id(2), pb);
  console.error(cni(n1, 'STATUS', sa));
  for (const [host, s] of [
    [n1, sa],
    [n2, sb],
  ] as const) {
    const t0 = performance.now();
    const done = cni(host, 'ADD', s);
    console.error(performance.now() - t0, done);
  }
  console.error(n1.run(['ip', 'netns', 'exec', 'cni-' + id(1).slice(0, 20), 'ping', '-c', '3', '10.42.1.3']));
  console.error(n1.run(['ip', 'netns', 'exec', 'cni-' + id(1).slice(0, 20), 'ip', 'a']));
  console.error(leftOvers(n1));
  const done = cni(n1, 'CHECK', sa, { prevResult: {} });
  console.error(done);
  console.error(
    cni(n1, 'VERSION', sa),
    cni(n1, 'GC', sa, { 'cni.dev/valid-attachments': [{ containerID: id(1), ifname: 'eth0' }] }),
  );
  console.error(n1.run(['cat', '/etc/cni/net.d/10-microshift-net.conflist']));
  console.error(cni(n1, 'DEL', sa), cni(n1, 'DEL', sa));
  console.error(leftOvers(n1));
});
