// Pods that are refused, on a cluster without a kubelet that pulls images: the test writes the status that a kubelet
// would report.
import t, { type Test } from 'tap';
import { errorTable } from '../../agent/errors.ts';
import {
  image,
  namespace,
  type Outcome,
  reportRollout,
  run,
  sharedApiServer,
  testWithoutManifests,
} from './session.ts';

const server = await sharedApiServer();
if (server !== null) {
  testWithoutManifests(server);
  const pods = `/api/v1/namespaces/${namespace}/pods`;

  /** Creates a pod from the present template of the daemonset ovnkube-master. */
  const createPod = async (name: string): Promise<void> => {
    const path = `/apis/apps/v1/namespaces/${namespace}/daemonsets/ovnkube-master`;
    const { template } = (await server.call('GET', path)).body.spec;
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...template.metadata, name }, spec: template.spec };
    await server.call('POST', pods, pod);
  };
  const reportState = async (name: string, reason: string, message: string): Promise<void> => {
    const base = { image, imageID: '', restartCount: 0 };
    const containerStatuses = [
      { ...base, name: 'northd', ready: true },
      { ...base, name: 'nbdb', ready: false, state: { waiting: { reason, message } } },
    ];
    await server.call('PATCH', `${pods}/${name}/status`, { status: { containerStatuses } }, mergePatch);
  };
  const mergePatch = 'application/merge-patch+json';
  const removePod = (name: string) => server.call('DELETE', `${pods}/${name}`, { gracePeriodSeconds: 0 });
  /** Options with a limit that no apply reaches: each apply ends because of the status that the test writes. */
  const limit = { wait: true, timeoutSeconds: 300 };
  /** Starts an apply that waits, and resolves when it reports that it waits for the pods. */
  const startApply = (options: { readonly image?: string } = {}): Promise<{ outcome: Promise<Outcome> }> => {
    return new Promise((resolve) => {
      const outcome = run(server, 'apply', {
        ...limit,
        ...options,
        note: (line) => line.startsWith('ovnkube-node:') && resolve({ outcome }),
      });
    });
  };
  const refused = (t: Test, { error }: Outcome, message: RegExp): void => {
    t.match(error, { kind: 'container-refused', message });
    t.equal(error === null ? null : errorTable[error.kind].exitCode, 1);
  };

  t.test('an image that cannot be pulled ends the wait', async (t) => {
    await run(server, 'apply', {});
    await reportRollout(server, 0);
    const { outcome } = await startApply();
    await createPod('ovnkube-master-x');
    await reportState('ovnkube-master-x', 'ContainerCreating', '');
    await reportState('ovnkube-master-x', 'ErrImagePull', 'failed to pull: manifest unknown');
    refused(
      t,
      await outcome,
      /^pod ovnkube-master-x, container nbdb cannot start: ErrImagePull: failed to pull: manifest unknown$/,
    );
    await reportState('ovnkube-master-x', 'ImagePullBackOff', 'Back-off pulling image');
    refused(t, await run(server, 'apply', limit), /: ImagePullBackOff: Back-off/);
  });

  t.test('apply waits for a working image although the pod of the old image still exists', async (t) => {
    const waiting = await startApply({ image: 'registry.example/ovn:2' });
    await reportRollout(server, 1);
    const { code, error } = await waiting.outcome;
    t.equal(code, 0, error?.message ?? '');
    await removePod('ovnkube-master-x');
  });

  t.test('a container that cannot be created ends the wait, unless the apply may have mended the cause', async (t) => {
    await run(server, 'apply', {});
    await createPod('ovnkube-master-y');
    await reportState('ovnkube-master-y', 'CreateContainerConfigError', 'configmap "ovnkube-config" not found');
    await reportRollout(server, 0);
    const mended = await startApply();
    await reportRollout(server, 1);
    t.equal((await mended.outcome).code, 0);
    await reportRollout(server, 0);
    const lacking = await startApply();
    await reportState('ovnkube-master-y', 'CreateContainerConfigError', 'configmap "other" not found');
    refused(t, await lacking.outcome, /ovnkube-master-y, container nbdb .*configmap "other" not found/);
    await removePod('ovnkube-master-y');
  });
}
