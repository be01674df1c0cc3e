import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { defaultConfig } from '../../agent/config/defaults.ts';
import { errorTable } from '../../agent/errors.ts';
import { withChanges } from '../unit/manifests/config.ts';
import { apiServerFor, changed, finishNamespace, namespace, type Outcome, run, versions } from './session.ts';

const server = await apiServerFor(t);
if (server !== null) {
  const exitCodeOf = ({ error }: Outcome): number | null => (error === null ? null : errorTable[error.kind].exitCode);
  const daemonSetPath = `/apis/apps/v1/namespaces/${namespace}/daemonsets/ovnkube-master`;

  t.test('credentials that do not work are refused at once, each with what is wrong', async (t) => {
    const missing = await run(server, 'apply', { kubeconfig: join(server.folder, 'nothing-here') });
    t.match(missing.error, { kind: 'kubeconfig-unusable', message: /there is no kubeconfig at/ });
    t.equal(exitCodeOf(missing), 2);

    const broken = join(server.folder, 'tokens.csv');
    t.match((await run(server, 'apply', { kubeconfig: broken })).error, { kind: 'kubeconfig-unusable' });

    const caFile = join(server.folder, 'foreign.crt');
    const untrusted = await run(server, 'apply', { kubeconfig: server.kubeconfig('untrusted', { caFile }) });
    t.match(untrusted.error, { kind: 'cluster-untrusted', message: /is not the one .* trusts/ });
    t.equal(exitCodeOf(untrusted), 5);

    const wrongToken = await run(server, 'apply', { kubeconfig: server.kubeconfig('stranger', { token: 'wrong' }) });
    t.match(wrongToken.error, { kind: 'cluster-refused', message: /does not accept the credentials/ });
    t.equal(exitCodeOf(wrongToken), 1);

    const certificate = (name: string) => ({
      clientCertificate: join(server.folder, `${name}.crt`),
      clientKey: join(server.folder, `${name}.key`),
    });
    const expired = await run(server, 'apply', { kubeconfig: server.kubeconfig('expired', certificate('expired')) });
    t.match(expired.error, { kind: 'cluster-refused', message: /its client certificate expired on/ });
    const valid = await run(server, 'apply', { kubeconfig: server.kubeconfig('valid', certificate('client')) });
    t.equal(valid.code, 0, 'and one that is valid works');
  });

  t.test("MicroShift's own kubeconfig may still be missing while it boots, so that is waited for", async (t) => {
    delete process.env.KUBECONFIG;
    const outcome = await run(server, 'apply', { kubeconfig: null, timeoutSeconds: 1 });
    t.match(outcome.error, { kind: 'kubeconfig-missing', message: /has not written .*\(waited 1 s\)/ });
    t.equal(exitCodeOf(outcome), 5);
  });

  t.test('a user without rights is told which one is missing, and nothing is changed', async (t) => {
    const before = await versions(server);
    const weak = await run(server, 'apply', { kubeconfig: server.kubeconfig('weak') });
    t.match(weak.error, { kind: 'cluster-refused', message: /may not list .*User "weak" cannot list/ });
    t.equal(exitCodeOf(weak), 1);
    t.same(changed(before, await versions(server)), []);
  });

  t.test('a user who may do part of it does that part; the administrator finishes the job', async (t) => {
    await run(server, 'apply', {});
    server.kubectl('create', 'clusterrole', 'readers', '--verb=get,list,watch', '--resource=*.*');
    server.kubectl(
      'create',
      'clusterrole',
      'writers',
      '--verb=patch,create',
      '--resource=configmaps,serviceaccounts,namespaces',
    );
    for (const role of ['readers', 'writers']) {
      server.kubectl('create', 'clusterrolebinding', role, `--clusterrole=${role}`, '--user=weak');
    }
    const config = withChanges(defaultConfig, { mtu: 1290 });
    const half = await run(server, 'apply', { config, kubeconfig: server.kubeconfig('weak') });
    t.match(half.error, { kind: 'cluster-refused', message: /may not apply (Cluster)?Role/ });
    const whole = await run(server, 'apply', { config });
    t.equal(whole.code, 0);
    t.match((await run(server, 'apply', { config })).text, ': 0 of 13 objects touched');
  });

  t.test("another manager's fields are shown with their owner, and taken over only when asked to", async (t) => {
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

  t.test('what was deleted by hand comes back', async (t) => {
    server.kubectl('-n', namespace, 'delete', 'configmap/ovnkube-scripts', 'role/openshift-ovn-kubernetes-node');
    const { text } = await run(server, 'apply', {});
    t.match(text, 'created  ConfigMap ovnkube-scripts');
    t.match(text, ': 2 of 13 objects touched');
  });

  t.test('--wait follows the roll-out, and says which container keeps it', async (t) => {
    const report = async (ready: number): Promise<void> => {
      for (const name of ['ovnkube-master', 'ovnkube-node']) {
        const path = `/apis/apps/v1/namespaces/${namespace}/daemonsets/${name}`;
        const { generation } = (await server.call('GET', path)).body.metadata;
        const numbers = {
          desiredNumberScheduled: 1,
          currentNumberScheduled: 1,
          updatedNumberScheduled: 1,
          numberMisscheduled: 0,
        };
        const status = { ...numbers, observedGeneration: generation, numberReady: ready, numberAvailable: ready };
        await server.call('PATCH', `${path}/status`, { status }, 'application/merge-patch+json');
      }
    };
    await report(0);
    const late = await run(server, 'apply', { wait: true, timeoutSeconds: 1 });
    t.match(late.error, { kind: 'rollout-timeout', message: /ovnkube-master\/northd: no pod yet/ });
    t.equal(exitCodeOf(late), 1);
    t.equal((await run(server, 'status')).code, 3);

    const waiting = run(server, 'apply', { wait: true, timeoutSeconds: 20 });
    await pause(500);
    await report(1);
    const outcome = await waiting;
    t.equal(outcome.code, 0, outcome.error?.message ?? '');
    t.same(outcome.notes.slice(-1), ['ovnkube-node: 1/1 updated, 1/1 ready']);
    t.equal((await run(server, 'status')).code, 0);
  });

  t.test('status tells why a container is not ready, and the last event', async (t) => {
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

  t.test('a server that is down is waited for, and one that dies in the middle is no end', async (t) => {
    const config = withChanges(defaultConfig, { mtu: 1280 });
    await server.kill();
    const down = await run(server, 'diff', { config });
    t.match(down.error, { kind: 'cluster-unreachable', message: /cannot be reached: .*ECONNREFUSED/ });
    t.equal(exitCodeOf(down), 5);
    const shortPatience = await run(server, 'apply', { config, timeoutSeconds: 1 });
    t.match(shortPatience.error, { kind: 'cluster-unreachable', message: /\(waited 1 s\)/ });

    const waiting = run(server, 'apply', { config, timeoutSeconds: 60 });
    await pause(300);
    server.start();
    const outcome = await waiting;
    t.equal(outcome.code, 0, outcome.error?.message ?? '');
    t.match(outcome.notes.join('\n'), 'cannot be reached');

    for (const delayMs of [20, 40, 60, 80]) {
      const flavor = delayMs % 40 === 0 ? 'multi-node' : 'classic';
      const running = run(server, 'apply', { config, flavor, timeoutSeconds: 60 });
      await pause(delayMs);
      await server.kill();
      server.start();
      const { code, error } = await running;
      t.equal(code, 0, `killed after ${delayMs} ms: ${error?.message}`);
      await server.untilReady();
      t.match((await run(server, 'apply', { config, flavor })).text, /: 0 of \d+ objects touched/);
    }
  });

  t.test('an expired certificate of the server is named as such', async (t) => {
    await server.kill();
    const pair = ['cert', 'private-key'].map(
      (name, index) => `--tls-${name}-file=${join(server.folder, `expired-server.${index === 0 ? 'crt' : 'key'}`)}`,
    );
    server.start(pair);
    let outcome = await run(server, 'status', { timeoutSeconds: 30 });
    t.match(outcome.error, {
      kind: 'cluster-untrusted',
      message: /the certificate of the API server at .* has expired/,
    });
    await server.kill();
    server.start();
    await server.untilReady();
    outcome = await run(server, 'apply', {});
    t.equal(outcome.code, 0);
  });

  t.test('IPv6 alone, and both families', async (t) => {
    const [four, six] = [
      ['10.42.0.0/16', '10.43.0.0/16'],
      ['fd01::/48', 'fd02::/112'],
    ];
    for (const families of [[six], [four, six], [four]]) {
      const [clusterNetwork, serviceNetwork] = [0, 1].map((index) => families.map((pair) => pair?.[index]));
      const config = withChanges(defaultConfig, { cluster: { clusterNetwork, serviceNetwork } });
      t.equal((await run(server, 'apply', { config })).code, 0, clusterNetwork?.join());
    }
  });

  t.test('a namespace that is being removed is waited for, then everything is made anew', async (t) => {
    await run(server, 'apply', { flavor: 'classic' });
    await server.call('DELETE', `/api/v1/namespaces/${namespace}`);
    const stuck = await run(server, 'apply', { timeoutSeconds: 1 });
    t.match(stuck.error, {
      kind: 'delete-timeout',
      message: /Namespace .* is still there; its finalizers wait for kubernetes/,
    });
    const waiting = run(server, 'apply', { timeoutSeconds: 30 });
    await pause(500);
    for (const plural of ['configmaps', 'serviceaccounts', 'pods', 'events']) {
      await server.call('DELETE', `/api/v1/namespaces/${namespace}/${plural}`);
    }
    await server.call('DELETE', `/apis/apps/v1/namespaces/${namespace}/daemonsets`);
    for (const plural of ['roles', 'rolebindings']) {
      await server.call('DELETE', `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/${plural}`);
    }
    await finishNamespace(server);
    const outcome = await waiting;
    t.equal(outcome.code, 0, outcome.error?.message ?? '');
    t.match(outcome.notes, ['waiting: namespace openshift-ovn-kubernetes is being removed']);
    t.match((await run(server, 'apply', {})).text, ': 0 of 13 objects touched');
  });

  t.test('delete goes in reverse, respects finalizers, and keeps what is not ours', async (t) => {
    server.kubectl('-n', namespace, 'create', 'configmap', 'env-overrides', '--from-literal=_master=OVN_LOG_LEVEL=dbg');
    const kept = await run(server, 'remove', { timeoutSeconds: 10 });
    t.equal(kept.code, 0, kept.error?.message ?? '');
    t.match(kept.text, 'the namespace is kept for what others have in it: ConfigMap env-overrides');
    t.same(Object.keys(await versions(server)), ['Namespace openshift-ovn-kubernetes']);
    t.same(kept.notes[0], 'removing DaemonSet ovnkube-master');
    t.match((await run(server, 'status')).text, 'no daemonset of ours');

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
    for (;;) {
      await pause(100);
      const { body } = await server.call('GET', `/api/v1/namespaces/${namespace}`);
      if (body.metadata.deletionTimestamp !== undefined) break;
    }
    await finishNamespace(server);
    t.equal((await gone).code, 0);
    t.equal((await server.call('GET', `/api/v1/namespaces/${namespace}`)).status, 404);
    t.match((await run(server, 'remove')).text, 'nothing of ours was there');
  });
}
