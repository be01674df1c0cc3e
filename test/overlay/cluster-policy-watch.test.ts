// Cluster policies of a real API server, whose definition is installed, removed and installed again while the daemon of
// the central node runs.
import t, { type Test } from 'tap';
import { fieldAt } from '../../agent/model/kubernetes/object.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import {
  clusterPoliciesPath,
  definition,
  definitionName,
  definitionsPath,
} from '../cluster/cluster-policy-definition.ts';
import { hear, openTestApi } from '../cluster/following.ts';
import { apiServerFor } from '../cluster/session.ts';
import { giveApi, makePod, prepareNamespace } from './cluster-api.ts';
import { startDaemon } from './daemon.ts';
import { writesDuring } from './database-writes.ts';
import { form } from './form.ts';
import { type Host, missingForHosts, startLan } from './hosts.ts';

/** Limit far beyond the need of a busy machine, in seconds. */
const limit = '--timeout=120';

function waitForGroups(host: Host, name: string, isThere: boolean): void {
  const group = ['find', 'Port_Group', `external_ids:k8s.ovn.org/name=${name}`];
  const script = `for i in $(seq 1200); do found=$(ovn-nbctl ${limit} --bare --columns=name ${group.join(' ')}); [ ${isThere ? '-n' : '-z'} "$found" ] && exit 0; sleep 0.1; done; exit 1`;
  host.must('sh', '-c', script);
}

async function onOneNode(t: Test, server: ApiServer): Promise<void> {
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  form(t, [n1, n2]);
  await giveApi(t, n1, server);
  let daemon = await startDaemon(n1);
  await makePod(server, 'n1', 'web');
  const api = openTestApi(server.kubeconfig('admin'));
  t.teardown(api.close);
  const events = hear(api, { apiVersion: 'events.k8s.io/v1', plural: 'events', namespace: 'default' });
  const put = (name: string, spec: object) =>
    server.call('POST', clusterPoliciesPath, {
      apiVersion: 'policy.networking.k8s.io/v1alpha2',
      kind: 'ClusterNetworkPolicy',
      metadata: { name },
      spec: { tier: 'Admin', priority: 1, subject: { namespaces: {} }, ...spec },
    });
  const denial = { ingress: [{ action: 'Deny', from: [{ namespaces: {} }] }] };
  const install = async (): Promise<void> => {
    t.match(await server.call('POST', definitionsPath, definition), { status: 201 });
    for (;;) {
      const { body } = await server.call('GET', `${definitionsPath}/${definitionName}`);
      const conditions = fieldAt(body, 'status', 'conditions');
      if (JSON.stringify(conditions ?? '').includes('"type":"Established"')) break;
    }
    for (;;) {
      const { status } = await server.call('GET', clusterPoliciesPath);
      if (status === 200) break;
    }
  };

  await t.test('the daemon works without the definition, and sends no further request for it', async (t) => {
    n1.must('ovn-nbctl', limit, 'wait-until', 'Logical_Switch_Port', 'default_web', 'name=default_web');
    t.match(n1.agent('overlay', 'status').stdout, /0 ClusterNetworkPolicy/);
    const { status, stderr } = n1.agent('overlay', 'isolation', 'enable');
    t.match([status, stderr], [1, /the API server has no ClusterNetworkPolicy/]);
  });

  await t.test('the definition is noticed when it is installed', async () => {
    await install();
    await put('deny', denial);
    waitForGroups(n1, 'deny', true);
  });

  await t.test('domain names are not served, and an Event says so', async (t) => {
    await put('names', {
      egress: [{ action: 'Accept', to: [{ domainNames: ['example.org'] }] }],
    });
    await events.until(({ names }) => [...names].some((name) => name.startsWith('names.')), 'the Event exists');
    const { body } = await server.call('GET', '/apis/events.k8s.io/v1/namespaces/default/events');
    t.match(JSON.stringify(body), /domainNames match no packet/);
  });

  await t.test('namespaces are separated by a command, and not any longer after another one', async (t) => {
    await server.call('DELETE', `${clusterPoliciesPath}/deny`);
    await server.call('DELETE', `${clusterPoliciesPath}/names`);
    const isolation = (...words: readonly string[]) => n1.agent('overlay', 'isolation', ...words);
    t.match(isolation('show').stdout, /^Namespaces are not separated/);
    const enable = ['enable', '--global', 'kube-system', '-o', 'json'];
    t.match(JSON.parse(isolation(...enable).stdout), { outcome: 'changed' });
    t.match(JSON.parse(isolation(...enable).stdout), { outcome: 'unchanged' }, 'a second run writes nothing');
    waitForGroups(n1, 'microshift-net-isolation', true);
    const shown = JSON.parse(isolation('show', '-o', 'json').stdout);
    t.match(shown, { isolation: { globalNamespaces: ['kube-system'], groupLabel: 'microshift-net/group' } });
    const reach = (from: string, to: string): unknown =>
      shown.reaches.find((one: Record<string, unknown>) => one.from === from && one.to === to)?.reach;
    t.strictSame(
      [
        ['default', 'default'],
        ['default', 'kube-system'],
        ['kube-system', 'default'],
        ['default', 'kube-public'],
      ].map(([from = '', to = '']) => reach(from, to)),
      ['all', 'all', 'all', 'none'],
    );
    t.match(n1.agent('overlay', 'verify'), { status: 0 });
    t.match(JSON.parse(isolation('disable', '-o', 'json').stdout), { outcome: 'changed' });
    t.match(JSON.parse(isolation('disable', '-o', 'json').stdout), { outcome: 'unchanged' });
    waitForGroups(n1, 'microshift-net-isolation', false);
    const absent = isolation('enable', '--kubeconfig', '/etc/absent');
    t.match([absent.status, absent.stderr], [5, /there is no kubeconfig at \/etc\/absent/]);
    t.match(isolation('enable', '--global', 'No'), { status: 2, stderr: /cannot be the name of a namespace/ });
    await put('deny', denial);
    waitForGroups(n1, 'deny', true);
  });

  await t.test('a restart writes nothing', async (t) => {
    const written = await writesDuring(n1, ['OVN_Northbound'], async () => {
      t.equal(await daemon.stop(), 0);
      daemon = await startDaemon(n1);
    });
    t.strictSame(written, []);
    t.match(n1.agent('overlay', 'verify'), { status: 0 });
  });

  await t.test('without the definition the rows are removed, and they return with it', async () => {
    await server.call('DELETE', `${definitionsPath}/${definitionName}`);
    waitForGroups(n1, 'deny', false);
    for (;;) {
      const { status } = await server.call('GET', `${definitionsPath}/${definitionName}`);
      if (status === 404) break;
    }
    await install();
    await put('again', denial);
    waitForGroups(n1, 'again', true);
  });
  t.equal(await daemon.stop(), 0);
}

t.test('cluster policies of a real API server', { skip: missingForHosts() ?? false }, async (t) => {
  const server = await apiServerFor(t);
  if (server === null) return;
  await prepareNamespace(server);
  await onOneNode(t, server);
});
