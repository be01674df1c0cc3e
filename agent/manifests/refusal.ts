import { AgentError } from '../errors.ts';
import { explained, fieldAt, type KubernetesObject, listAt } from './object.ts';

/** A container that the kubelet does not start, and tries again for ever with longer and longer pauses. */
export interface RefusedContainer {
  readonly pod: string;
  readonly container: string;
  readonly image: string;
  readonly reason: string;
  /** The kubelet's words: the reason, and what it says about it. */
  readonly words: string;
}

/** Why a kubelet does not get an image (kubernetes, pkg/kubelet/images/types.go and the CRI API's pkg/errors). */
const imageReasons: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);

/** A ConfigMap, a key or a user that the container needs is not there (kubernetes, pkg/kubelet/kuberuntime). */
const configReason = 'CreateContainerConfigError';

/** The containers of these daemonsets that cannot start; those of pods that go, or that have another image than is wanted, do not count. */
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

/** The first refusal that will not go away by what was just applied: a ConfigMap that was missing before may be there now. */
export function lastingRefusal(
  before: readonly RefusedContainer[],
  now: readonly RefusedContainer[],
): RefusedContainer | null {
  const isOld = (one: RefusedContainer): boolean =>
    before.some(({ pod, container, words }) => pod === one.pod && container === one.container && words === one.words);
  return now.find((one) => imageReasons.has(one.reason) || !isOld(one)) ?? null;
}

/** The error about a container that cannot start. */
export function containerRefused({ pod, container, image, reason, words }: RefusedContainer): AgentError {
  const hint = imageReasons.has(reason)
    ? `see that the node gets the image ${image}, or name another one with manifests.image or --image; the kubelet goes on trying`
    : 'look at kubectl describe pod; a second apply puts back what is missing of ours';
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

/** Image by container. */
function imagesOf(podSpec: unknown): ReadonlyMap<string, string> {
  return new Map(
    listAt(podSpec, 'containers').map((one) => [String(fieldAt(one, 'name')), String(fieldAt(one, 'image'))]),
  );
}
