import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { errorTable } from '../../agent/errors.ts';
import {
  emptyNamespace,
  finishNamespace,
  namespace,
  type Outcome,
  reportRollout,
  run,
  sharedApiServer,
  testWithoutManifests,
  versions,
} from './session.ts';

const server = await sharedApiServer();
if (server !== null) {
  testWithoutManifests(server);
  const exitCodeOf = ({ error }: Outcome): number | null => (error === null ? null : errorTable[error.kind].exitCode);
  const daemonSetPath = `/apis/apps/v1/namespaces/${namespace}/daemonsets/ovnkube-master`;

  t.test("another manager's fields are shown with their owner, and replaced only with --force-conflicts", async (t) => {
    await run(server, 'apply', {});
    const scripted = { data: { 'ovnkube.conf': '[default]\nmtu=9000\n' } };
    const path = `/api/v1/namespaces/${namespace}/configmaps/ovnkube-config?fieldManager=their-operator`;
    await server.call('PATCH', path, scripted, 'application/merge-patch+json');
    const image = {
      spec: { template: { spec: { containers: [{ name: 'northd', image: 'registry.example/other:2' }] } } },
    };
    const byHand = `${daemonSetPath}?fieldManager=kubectl-edit`;
    await server.call('PATCH', byHand, image, 'application/strategic-merge-patch+json');

    const refused = await run(server, 'apply', {});
    t.match(refused.error, {
      kind: 'apply-conflict',
      message: /ConfigMap ovnkube-config: their-operator set the same fields/,
    });
    t.equal(exitCodeOf(refused), 1);
    const diff = await run(server, 'diff', {});
    t.match(diff.text, 'their-operator');
    t.match(diff.text, 'kubectl-edit');
    t.match(diff.text, '      - "registry.example/other:2"\n      + "registry.example/ovn:1"');

    const forced = await run(server, 'apply', { forceConflicts: true });
    t.equal(forced.code, 0);
    t.match((await run(server, 'apply', {})).text, ': 0 of 13 objects touched');
  });

  t.test('objects that were deleted by hand are created again', async (t) => {
    server.kubectl('-n', namespace, 'delete', 'configmap/ovnkube-scripts', 'role/openshift-ovn-kubernetes-node');
    const { text } = await run(server, 'apply', {});
    t.match(text, 'created    ConfigMap ovnkube-scripts');
    t.match(text, ': 2 of 13 objects touched');
  });

  t.test('--wait follows the roll-out, and names the container that delays it', async (t) => {
    await reportRollout(server, 0);
    const late = await run(server, 'apply', { wait: true, timeoutSeconds: 1 });
    t.match(late.error, { kind: 'rollout-timeout', message: /ovnkube-master\/northd: no pod yet/ });
    t.equal(exitCodeOf(late), 1);
    t.equal((await run(server, 'status')).code, 3);

    const waiting = run(server, 'apply', { wait: true, timeoutSeconds: 20 });
    await pause(500);
    await reportRollout(server, 1);
    const outcome = await waiting;
    t.equal(outcome.code, 0, outcome.error?.message ?? '');
    t.same(outcome.notes.slice(-1), ['ovnkube-node: 1/1 updated, 1/1 ready']);
    t.equal((await run(server, 'status')).code, 0);
  });

  t.test('status shows the reason why a container is not ready, and the last event', async (t) => {
    const template = (await server.call('GET', daemonSetPath)).body.spec.template;
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...template.metadata, name: 'ovnkube-master-x' },
      spec: template.spec,
    };
    await server.call('POST', `/api/v1/namespaces/${namespace}/pods`, pod);
    const waiting = { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' };
    const base = { image: 'x', imageID: '' };
    const containerStatuses = [
      { ...base, name: 'northd', ready: true, restartCount: 0 },
      { ...base, name: 'nbdb', ready: false, restartCount: 7, state: { waiting } },
    ];
    const podPath = `/api/v1/namespaces/${namespace}/pods/ovnkube-master-x`;
    await server.call('PATCH', `${podPath}/status`, { status: { containerStatuses } }, 'application/merge-patch+json');
    const involvedObject = { kind: 'Pod', namespace, name: 'ovnkube-master-x', fieldPath: 'spec.containers{nbdb}' };
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e1', namespace },
      involvedObject,
      reason: 'BackOff',
      message: 'Back-off restarting',
      type: 'Warning',
      lastTimestamp: '2026-01-01T00:00:00Z',
    };
    await server.call('POST', `/api/v1/namespaces/${namespace}/events`, event);
    const { text } = await run(server, 'status');
    t.match(text, /nbdb +0\/1, restarted 7 times {2}CrashLoopBackOff: back-off 5m0s/);
    t.match(text, '2026-01-01T00:00:00Z BackOff: Back-off restarting');
    await server.call('DELETE', podPath, { gracePeriodSeconds: 0 });
  });

  t.test('apply waits for the end of a namespace that is being removed, and then creates all objects', async (t) => {
    await run(server, 'apply', { flavor: 'classic' });
    await server.call('DELETE', `/api/v1/namespaces/${namespace}`);
    const stuck = await run(server, 'apply', { timeoutSeconds: 1 });
    t.match(stuck.error, {
      kind: 'delete-timeout',
      message: /Namespace .* is still there; its finalizers wait for kubernetes/,
    });
    const waiting = run(server, 'apply', { timeoutSeconds: 30 });
    await pause(500);
    await emptyNamespace(server);
    await finishNamespace(server);
    const outcome = await waiting;
    t.equal(outcome.code, 0, outcome.error?.message ?? '');
    t.match(outcome.notes, ['waiting: namespace openshift-ovn-kubernetes is being removed']);
    t.match((await run(server, 'apply', {})).text, ': 0 of 13 objects touched');
  });

  t.test('delete works in reverse order, respects finalizers, and keeps foreign objects', async (t) => {
    server.kubectl('-n', namespace, 'create', 'configmap', 'env-overrides', '--from-literal=_master=OVN_LOG_LEVEL=dbg');
    const kept = await run(server, 'remove', { timeoutSeconds: 10 });
    t.equal(kept.code, 0, kept.error?.message ?? '');
    t.match(kept.text, 'the namespace is kept for what others have in it: ConfigMap env-overrides');
    t.same(Object.keys(await versions(server)), ['Namespace openshift-ovn-kubernetes']);
    t.same(kept.notes[0], 'removing DaemonSet ovnkube-master');
    t.match((await run(server, 'status')).text, 'no DaemonSet of microshift-net');

    server.kubectl('-n', namespace, 'delete', 'configmap', 'env-overrides');
    await run(server, 'apply', {});
    const finalizers = { metadata: { finalizers: ['example.com/keep'] } };
    await server.call('PATCH', daemonSetPath, finalizers, 'application/merge-patch+json');
    const held = await run(server, 'remove', { timeoutSeconds: 1 });
    t.match(held.error, {
      kind: 'delete-timeout',
      message: /DaemonSet ovnkube-master is still there; its finalizers wait for example.com\/keep/,
    });
    t.match(Object.keys(await versions(server)), ['Namespace openshift-ovn-kubernetes']);
    await server.call('PATCH', daemonSetPath, { metadata: { finalizers: null } }, 'application/merge-patch+json');

    const gone = run(server, 'remove', { timeoutSeconds: 20 });
    await finishNamespace(server);
    t.equal((await gone).code, 0);
    t.equal((await server.call('GET', `/api/v1/namespaces/${namespace}`)).status, 404);
    t.match((await run(server, 'remove')).text, 'no object of microshift-net was there');
  });
}
