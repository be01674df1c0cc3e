import { AgentError } from '../errors.ts';
import { explained, fieldAt, type KubernetesObject, listAt } from '../model/kubernetes/object.ts';

/** Container that the kubelet cannot start. The kubelet tries again without end, with increasing pauses. */
export interface RefusedContainer {
  readonly pod: string;
  readonly container: string;
  readonly image: string;
  readonly reason: string;
  /** The kubelet's reason and message. */
  readonly words: string;
}

/**
 * Reasons that a kubelet gives if it cannot use an image (kubernetes, pkg/kubelet/images/types.go and the CRI API's
 * pkg/errors).
 */
const imageReasons: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);

/**
 * Reason that a kubelet gives if a ConfigMap, key or user that the container needs is missing (kubernetes,
 * pkg/kubelet/kuberuntime).
 */
const configReason = 'CreateContainerConfigError';

/**
 * Returns the containers of these daemonsets that cannot start because of their image, or because an object that they
 * need is missing. Containers of pods that are being deleted, and containers with an image other than the desired one,
 * do not count.
 */
export function refusedContainers(
  daemonSets: readonly KubernetesObject[],
  pods: readonly KubernetesObject[],
): RefusedContainer[] {
  return daemonSets.flatMap((daemonSet) => {
    const wanted = imagesOf(fieldAt(daemonSet, 'spec', 'template', 'spec'));
    return pods
      .filter(({ metadata }) => metadata.labels?.app === daemonSet.metadata.name)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .flatMap((pod) => refusedOf(pod).filter(({ container, image }) => wanted.get(container) === image));
  });
}

/**
 * Returns the first container that still cannot start after the manifests were applied; null if none is found.
 * `before` contains the containers that could not start before the apply. A reason that `before` contains as well and
 * that does not concern the image, such as a missing ConfigMap, does not count, because the apply may have removed it.
 */
export function lastingRefusal(
  before: readonly RefusedContainer[],
  now: readonly RefusedContainer[],
): RefusedContainer | null {
  const isOld = (one: RefusedContainer): boolean =>
    before.some(({ pod, container, words }) => pod === one.pod && container === one.container && words === one.words);
  return now.find((one) => imageReasons.has(one.reason) || !isOld(one)) ?? null;
}

/** Returns the error for a container that cannot start. */
export function containerRefused({ pod, container, image, reason, words }: RefusedContainer): AgentError {
  const hint = imageReasons.has(reason)
    ? `see that the node gets the image ${image}, or name another one with manifests.image or --image; the kubelet goes on trying`
    : 'look at kubectl describe pod; `microshift-net manifests apply` creates the missing objects again';
  return new AgentError('container-refused', `pod ${pod}, container ${container} cannot start: ${words}`, {
    hint,
    facts: { pod, container, image, reason },
  });
}

function refusedOf(pod: KubernetesObject): RefusedContainer[] {
  const images = imagesOf(pod.spec);
  return listAt(pod, 'status', 'containerStatuses').flatMap((status) => {
    const waiting = fieldAt(status, 'state', 'waiting');
    const reason = String(fieldAt(waiting, 'reason') ?? '');
    if (reason !== configReason && !imageReasons.has(reason)) return [];
    const container = String(fieldAt(status, 'name'));
    return [
      { pod: pod.metadata.name, container, image: images.get(container) ?? '', reason, words: explained(waiting) },
    ];
  });
}

/** Returns the images of a pod's containers by the name of the container. */
function imagesOf(podSpec: unknown): ReadonlyMap<string, string> {
  return new Map(
    listAt(podSpec, 'containers').map((one) => [String(fieldAt(one, 'name')), String(fieldAt(one, 'image'))]),
  );
}
