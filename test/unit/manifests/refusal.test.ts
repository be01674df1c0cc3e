import t from 'tap';
import { containerRefused, lastingRefusal, refusedContainers } from '../../../agent/manifests/refusal.ts';
import type { KubernetesObject } from '../../../agent/model/kubernetes/object.ts';
import { failure } from '../failure.ts';

const image = 'registry.example/ovn:1';
const containers = [
  { name: 'northd', image },
  { name: 'nbdb', image },
];
const daemonSet: KubernetesObject = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'ovnkube-master' },
  spec: { template: { spec: { containers } } },
};

/** Returns a pod whose container nbdb has this state; `more` is added to the pod's metadata. */
const pod = (state: object, more: object = {}, spec: object = { containers }): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'ovnkube-master-x', labels: { app: 'ovnkube-master' }, ...more },
  spec,
  status: {
    containerStatuses: [
      { name: 'northd', state: { running: {} } },
      { name: 'nbdb', state },
    ],
  },
});
const waiting = (reason: string, message = 'not found') => ({ waiting: { reason, message } });
const refused = (...pods: KubernetesObject[]) => refusedContainers([daemonSet], pods);

t.test('containers that the kubelet does not start', (t) => {
  for (const reason of [
    'ErrImagePull',
    'ImagePullBackOff',
    'ErrImageNeverPull',
    'InvalidImageName',
    'CreateContainerConfigError',
  ]) {
    t.match(refused(pod(waiting(reason))), [{ pod: 'ovnkube-master-x', container: 'nbdb', image, reason }], reason);
  }
  t.end();
});

t.test('a temporary or unrelated state of a container is not a refusal', (t) => {
  const other = { containers: containers.map((one) => ({ ...one, image: 'registry.example/ovn:0' })) };
  const table: Record<string, KubernetesObject> = {
    'being made': pod(waiting('ContainerCreating', '')),
    'ends over and over': pod(waiting('CrashLoopBackOff')),
    runs: pod({ running: {} }),
    'of a pod that goes': pod(waiting('ErrImagePull'), { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    'of an image that is wanted no more': pod(waiting('ImagePullBackOff'), {}, other),
    'of another daemonset': pod(waiting('ErrImagePull'), { labels: { app: 'ovnkube-node' } }),
    'without any state yet': { ...pod({}), status: {} },
  };
  for (const [name, one] of Object.entries(table)) t.strictSame(refused(one), [], name);
  t.end();
});

t.test('an image that was refused before is still refused; an object that a container lacked may exist now', (t) => {
  const image = refused(pod(waiting('ImagePullBackOff')));
  t.equal(lastingRefusal(image, image), image[0]);
  const config = refused(pod(waiting('CreateContainerConfigError', 'configmap "ovn-config" not found')));
  t.equal(lastingRefusal(config, config), null);
  t.equal(lastingRefusal([], config), config[0]);
  const another = refused(pod(waiting('CreateContainerConfigError', 'configmap "other" not found')));
  t.equal(lastingRefusal(config, another), another[0]);
  t.end();
});

t.test('the error names pod, container and reason', (t) => {
  const message = /^pod ovnkube-master-x, container nbdb cannot start: ErrImagePull: manifest unknown$/;
  const [first] = refused(pod(waiting('ErrImagePull', 'rpc error\nmanifest unknown')));
  if (first === undefined) throw new Error('nothing is refused');
  const error = containerRefused(first);
  t.match(error, failure('container-refused', { message }));
  t.match(error.hint, /gets the image registry\.example\/ovn:1/);
  t.end();
});
