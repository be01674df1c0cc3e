import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { defaultCniBinDirectory, renderManifests } from '../../agent/manifests/render.ts';
import {
  fieldAt,
  type KubernetesObject,
  listAt,
  mutableCopy,
  referenceOf,
  titleOf,
} from '../../agent/model/kubernetes/object.ts';
import { collectionPath, kinds, objectPath } from '../../agent/model/kubernetes/object-kinds.ts';
import { image, namespace, ours, run, sharedApiServer, testWithoutManifests } from './session.ts';

const theirImage = 'registry.example/microshift-ovn:1';
const settings = { config: ours, image: theirImage, cniBinDirectory: defaultCniBinDirectory, controlPlane: null };

/**
 * Objects that a MicroShift with its own ovn-kubernetes leaves: they have the names of the agent's objects, some of
 * them also the same content, and the pods of the daemonsets have a further container.
 */
const theirs = renderManifests({ ...settings, flavor: 'classic' })
  .filter(({ metadata }) => metadata.name !== 'ovnkube-scripts')
  .map((object) => {
    const copy = mutableCopy(object);
    const {
      'app.kubernetes.io/managed-by': _by,
      'app.kubernetes.io/part-of': _of,
      ...labels
    } = object.metadata.labels ?? {};
    copy.metadata = { ...copy.metadata, labels };
    if (object.metadata.name === 'ovnkube-config') copy.data = { 'ovnkube.conf': '[default]\nmtu=1500\n' };
    const containers = listAt(copy, 'spec', 'template', 'spec', 'containers') as object[];
    if (containers.length > 0) containers.push({ name: 'of-theirs', image: theirImage });
    return copy;
  });

const server = await sharedApiServer();
if (server !== null) {
  testWithoutManifests(server);
  const daemonSetPath = `/apis/apps/v1/namespaces/${namespace}/daemonsets/ovnkube-master`;
  const read = async (object: KubernetesObject) =>
    (await server.call('GET', String(objectPath(referenceOf(object))))).body;
  const versionsOf = (objects: readonly KubernetesObject[]): Promise<readonly string[]> =>
    Promise.all(objects.map(async (object) => (await read(object)).metadata?.resourceVersion));

  t.test('MicroShift creates its own objects', async (t) => {
    for (const object of theirs) {
      const { apiVersion, kind, namespace } = referenceOf(object);
      const path = collectionPath(apiVersion, String(kinds[kind]?.plural), namespace);
      const { status, body } = await server.call('POST', `${path}?fieldManager=microshift`, object);
      t.equal(status, 201, body.message);
    }
  });

  t.test('if one object is refused, none is written', async (t) => {
    const before = await versionsOf(theirs);
    const { error } = await run(server, 'apply');
    t.match(error, { kind: 'apply-conflict', message: /ConfigMap ovnkube-config: microshift set the same fields/ });
    t.match(error?.message, /DaemonSet ovnkube-master: microshift/, 'every conflict is reported');
    t.same(await versionsOf(theirs), before);
    const names = server
      .kubectl('-n', namespace, 'get', 'configmaps,roles,rolebindings', '-o', 'name')
      .trim()
      .split('\n');
    t.equal(
      names.length,
      theirs.filter(({ kind }) => /^(ConfigMap|Role|RoleBinding)$/.test(kind)).length,
      names.join(),
    );
  });

  t.test("delete neither changes MicroShift's objects nor waits for them", async (t) => {
    const before = await versionsOf(theirs);
    // An inventory with MicroShift's objects, as an interrupted apply of an earlier release would leave it.
    const objects = theirs
      .map(referenceOf)
      .map((one) => [one.apiVersion, one.kind, one.namespace ?? '', one.name].join(' '));
    const inventory = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'microshift-net-inventory', namespace },
      data: { objects: `${objects.join('\n')}\n` },
    };
    const configMaps = `/api/v1/namespaces/${namespace}/configmaps?fieldManager=microshift-net`;
    await server.call('POST', configMaps, inventory);
    const { code, text, error } = await run(server, 'remove', { timeoutSeconds: 1 });
    t.equal(code, 0, error?.message ?? '');
    t.match(text, 'removed    ConfigMap microshift-net-inventory\n');
    t.match(text, '1 objects removed');
    t.same(await versionsOf(theirs), before);
  });

  t.test('--running-image keeps the image of the running daemonset', async (t) => {
    const { text } = await run(server, 'diff', { runningImage: true });
    t.notMatch(text, 'containers[northd].image');
    t.match((await run(server, 'diff')).text, `      - "${theirImage}"\n      + "${image}"`);
    t.match(
      text,
      /DaemonSet ovnkube-master: microshift .*; --force-conflicts replaces it, without additions of other managers/,
    );
  });

  t.test('a take-over is reported, and replaces daemonsets after their pods have ended', async (t) => {
    const { template } = (await server.call('GET', daemonSetPath)).body.spec;
    const metadata = { ...template.metadata, name: 'ovnkube-master-x' };
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const created = await server.call('POST', pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec });
    t.equal(created.status, 201, created.body.message);
    let isOver = false;
    const forced = run(server, 'apply', { forceConflicts: true, timeoutSeconds: 60 }).finally(() => {
      isOver = true;
    });
    while (!isOver && (await server.call('GET', daemonSetPath)).status !== 404) await pause(50);
    t.notOk(isOver, 'the apply waits for the pod');
    const { body } = await server.call('GET', pods);
    await server.call('DELETE', `${pods}/ovnkube-master-x`, { gracePeriodSeconds: 0 });
    const { code, text, error } = await forced;
    t.equal(code, 0, error?.message ?? '');
    const again = (await server.call('GET', daemonSetPath)).body;
    t.ok(
      Number(again.metadata.resourceVersion) > Number(body.metadata.resourceVersion),
      'the daemonset is created after the deletion of the pod',
    );
    const names = listAt(again, 'spec', 'template', 'spec', 'containers').map((one) => fieldAt(one, 'name'));
    t.notOk(names.includes('of-theirs'), names.join());
    for (const object of theirs) t.match(text, `taken over ${titleOf(referenceOf(object))}\n`);
    t.match(text, 'created    ConfigMap ovnkube-scripts\n');
    t.match((await run(server, 'apply')).text, ': 0 of 13 objects touched');
  });

  t.test("the agent's daemonset with a foreign container is replaced only with --force-conflicts", async (t) => {
    const sidecar = { spec: { template: { spec: { containers: [{ name: 'sidecar', image: theirImage }] } } } };
    const type = 'application/strategic-merge-patch+json';
    await server.call('PATCH', `${daemonSetPath}?fieldManager=their-operator`, sidecar, type);
    t.match((await run(server, 'apply')).text, ': 0 of 13 objects touched');
    const left = await run(server, 'remove', { timeoutSeconds: 1 });
    t.equal(left.code, 0, left.error?.message ?? '');
    t.match(left.text, 'left: DaemonSet ovnkube-master, which also has fields of their-operator\n');
    t.equal((await server.call('GET', daemonSetPath)).status, 200);
    const { text } = await run(server, 'apply', { forceConflicts: true });
    t.match(text, 'changed    DaemonSet ovnkube-master\n');
    t.notMatch(JSON.stringify((await server.call('GET', daemonSetPath)).body.spec), 'sidecar');
  });

  t.test('objects with fields of another manager are left', async (t) => {
    const { code, text, error } = await run(server, 'remove', { timeoutSeconds: 10 });
    t.equal(code, 0, error?.message ?? '');
    t.match(text, 'removed    DaemonSet ovnkube-master\n');
    t.match(text, 'left: Namespace openshift-ovn-kubernetes, which also has fields of microshift\n');
    t.match(
      text,
      'left: ClusterRoleBinding openshift-ovn-kubernetes-controller, which also has fields of microshift\n',
    );
    t.equal((await server.call('GET', `/api/v1/namespaces/${namespace}`)).body.metadata.deletionTimestamp, undefined);
  });
}
