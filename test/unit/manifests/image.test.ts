import t from 'tap';
import { imageOfDaemonSets } from '../../../agent/manifests/image.ts';
import type { KubernetesObject } from '../../../agent/model/kubernetes/object.ts';
import { failure } from '../failure.ts';

const daemonSet = (...images: string[]): KubernetesObject => {
  const containers = images.map((image) => ({ image }));
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'one' },
    spec: { template: { spec: { containers } } },
  };
};

t.test('the image of the running daemonsets is used if they all have the same one', async (t) => {
  t.equal(
    imageOfDaemonSets([daemonSet('quay.io/ovn@sha256:1', 'quay.io/ovn@sha256:1'), daemonSet('quay.io/ovn@sha256:1')]),
    'quay.io/ovn@sha256:1',
  );
  t.throws(() => imageOfDaemonSets([]), failure('image-unknown', { message: /no daemonset .* on the cluster/ }));
  t.throws(() => imageOfDaemonSets([daemonSet('a', 'b')]), failure('image-unknown', { message: /run a and b$/ }));
});
