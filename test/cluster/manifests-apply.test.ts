import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { render } from '../../agent/commands/manifests-command.ts';
import { type Flavor, flavorTraits } from '../../agent/model/manifest-flavors.ts';
import { plain } from '../../agent/view/style.ts';
import { withChanges } from '../unit/manifests/changed-config.ts';
import { changed, image, namespace, ours, run, sharedApiServer, testWithoutManifests, versions } from './session.ts';

const server = await sharedApiServer();
if (server !== null) {
  testWithoutManifests(server);
  const rendering = {
    config: ours,
    image,
    controlPlane: '192.0.2.10',
    output: { format: 'text', style: plain, result: () => {}, say: () => {} },
  } as const;

  t.test('a namespace of level baseline exists', async (t) => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'baseline' };
    const objects = [
      ['', { kind: 'Namespace', metadata: { name: 'baseline', labels } }],
      ...['ovn-kubernetes-controller', 'ovn-kubernetes-node'].map(
        (name) => ['/baseline/serviceaccounts', { kind: 'ServiceAccount', metadata: { name } }] as const,
      ),
    ] as const;
    for (const [place, object] of objects) {
      const { status } = await server.call('POST', `/api/v1/namespaces${place}`, { apiVersion: 'v1', ...object });
      t.equal(status, 201);
    }
  });

  const flavors = Object.keys(flavorTraits) as readonly Flavor[];

  /** Checks that kubectl accepts the rendered files with strict validation, by their kustomization and without it. */
  const passesKubectl = async (t: Test, flavor: Flavor): Promise<void> => {
    const dryRun = [
      'apply',
      '--server-side',
      '--dry-run=server',
      '--validate=strict',
      '--field-manager=microshift-net',
    ];
    // The kustomization names each file: cli.test.ts.
    for (const kustomization of flavor === 'classic' ? [true, false] : [false]) {
      const directory = mkdtempSync(join(server.folder, 'rendered-'));
      await render({ ...rendering, flavor, directory, kustomization });
      const answer = server.kubectl(...dryRun, kustomization ? '-k' : '-f', directory);
      t.match(answer, 'daemonset.apps/ovnkube-master serverside-applied');
      t.match(answer, 'daemonset.apps/ovnkube-node serverside-applied');
    }
  };

  /** Checks that a pod template is admitted in its namespace, and refused in a namespace of level baseline. */
  const isAdmitted = async (t: Test, name: string): Promise<void> => {
    const { body } = await server.call('GET', `/apis/apps/v1/namespaces/${namespace}/daemonsets/${name}`);
    const { metadata, spec } = body.spec.template;
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: `${name}-test` }, spec };
    const answer = await server.call(
      'POST',
      `/api/v1/namespaces/${namespace}/pods?dryRun=All&fieldValidation=Strict`,
      pod,
    );
    t.equal(answer.status, 201, `${name}: ${answer.body.message ?? 'created'}`);
    const refused = await server.call('POST', '/api/v1/namespaces/baseline/pods?dryRun=All', pod);
    t.match(refused.body.message, /violates PodSecurity "baseline/, 'a namespace of level baseline refuses the pod');
  };

  for (const flavor of flavors)
    t.test(`the flavour ${flavor} is valid and complete`, async (t) => {
      const { code, text } = await run(server, 'apply', { flavor });
      t.equal(code, 0, `${flavor}: ${text.split('\n').at(-2)}`);
      await passesKubectl(t, flavor);
      const before = await versions(server);
      const second = await run(server, 'apply', { flavor });
      t.equal(second.code, 0);
      t.match(second.text, /: 0 of \d+ objects touched/);
      t.same(changed(before, await versions(server)), [], 'a second apply changes no resourceVersion');
      t.equal((await run(server, 'diff', { flavor })).code, 0, 'diff finds no difference');
      for (const name of ['ovnkube-master', 'ovnkube-node']) await isAdmitted(t, name);
    });

  t.test('another mtu changes one ConfigMap and rolls the pods that read it', async (t) => {
    const otherMtu = withChanges(ours, { mtu: 1300 });
    const readers = {
      classic: ['DaemonSet ovnkube-master'],
      'multi-node': ['DaemonSet ovnkube-master', 'DaemonSet ovnkube-node'],
      interconnect: ['DaemonSet ovnkube-master', 'DaemonSet ovnkube-node'],
    } as const;
    for (const flavor of ['classic', 'multi-node', 'interconnect'] as const) {
      await run(server, 'apply', { flavor });
      const before = await versions(server);
      const diff = await run(server, 'diff', { flavor, config: otherMtu });
      t.equal(diff.code, 3);
      t.match(diff.text, '      - mtu=1400\n      + mtu=1300\n');
      t.same(changed(before, await versions(server)), [], 'a diff changes nothing');
      await run(server, 'apply', { flavor, config: otherMtu });
      t.same(changed(before, await versions(server)), ['ConfigMap ovnkube-config', ...readers[flavor]]);
    }
  });

  t.test('changing the flavour and back leaves no stray object', async (t) => {
    await run(server, 'apply', { flavor: 'multi-node' });
    await run(server, 'apply', { flavor: 'classic' });
    const before = await versions(server);
    for (const flavor of ['no-uplink', 'interconnect', 'multi-node', 'interconnect', 'classic'] as const) {
      const { code } = await run(server, 'apply', { flavor });
      t.equal(code, 0, flavor);
    }
    const after = await versions(server);
    t.same(Object.keys(after).sort(), Object.keys(before).sort());
    const everything = [
      'get',
      'all,configmaps,serviceaccounts,roles,rolebindings,secrets',
      '-n',
      namespace,
      '-o',
      'name',
    ];
    t.equal(
      server
        .kubectl(...everything)
        .trim()
        .split('\n').length,
      Object.keys(after).length - 3,
      'the namespace has no other object',
    );
    t.notMatch(server.kubectl('get', 'clusterroles', '-o', 'name'), 'openshift-ovn-kubernetes-node');
  });

  t.test('the inventory alone finds objects of an earlier version, and objects with another owner stay', async (t) => {
    await run(server, 'apply', { flavor: 'multi-node' });
    server.kubectl('-n', namespace, 'label', 'configmap', 'ovn-config', 'app.kubernetes.io/managed-by-');
    server.kubectl('label', 'clusterrole', 'openshift-ovn-kubernetes-node', 'app.kubernetes.io/managed-by-');
    const taken = `/apis/rbac.authorization.k8s.io/v1/clusterroles/openshift-ovn-kubernetes-node`;
    const { body } = await server.call('GET', taken);
    await server.call('PUT', taken, { ...body, metadata: { ...body.metadata, managedFields: [{}] } });
    const { text } = await run(server, 'apply', { flavor: 'classic' });
    t.match(text, 'removed    ConfigMap ovn-config');
    t.equal((await server.call('GET', taken)).status, 200, 'a foreign ClusterRole is not removed');
    await server.call('DELETE', taken);
  });
}
