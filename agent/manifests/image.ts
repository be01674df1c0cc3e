import { AgentError } from '../errors.ts';
import type { Config, Sourced } from '../model/config.ts';
import { fieldAt, type KubernetesObject, listAt } from '../model/kubernetes/object.ts';

/** Keys of the ovn-kubernetes image in MicroShift's list of images: with underscores until 2025, with dashes since. */
const releaseKeys = ['ovn_kubernetes_microshift', 'ovn-kubernetes-microshift'];

/** Sources of an image reference. */
export interface ImageSources {
  /** Image that the command line names; null if it names none. */
  readonly asked: string | null;
  readonly config: Config;
  /** Path and text of MicroShift's list of images; the text is null if the file does not exist. */
  readonly release: { readonly path: string; readonly text: string | null };
  /** True if the command has the option `--running-image`, with which the image is read from the cluster. */
  readonly usesCluster: boolean;
}

/**
 * Returns the image of the containers: the requested one, the configured one, or the one in MicroShift's list of
 * images. The agent has no default of its own. Fails with `image-unknown`.
 */
export function chooseImage({ asked, config, release, usesCluster }: ImageSources): Sourced<string> {
  if (asked !== null) return checked(asked, '--image');
  const { value, source } = config.manifests.image;
  if (value !== null && value !== '') return checked(value, source);
  const fault = (why: string): AgentError => unknown(why, usesCluster);
  if (release.text === null) throw fault(`${release.path} does not exist`);
  return checked(imageOfRelease(release.path, release.text, fault), release.path);
}

/**
 * Returns the image of the daemonsets on the cluster, whether they are MicroShift's or the agent's. Fails with
 * `image-unknown` unless all their containers use the same image.
 */
export function imageOfDaemonSets(daemonSets: readonly KubernetesObject[]): string {
  const containers = daemonSets.flatMap((one) => listAt(one, 'spec', 'template', 'spec', 'containers'));
  const [image, ...others] = new Set(containers.map((container) => String(fieldAt(container, 'image'))));
  if (image === undefined) throw unknown('no daemonset of ovn-kubernetes is on the cluster');
  if (others.length > 0) throw unknown(`the daemonsets on the cluster run ${[image, ...others].join(' and ')}`);
  return image;
}

function imageOfRelease(path: string, text: string, fault: (why: string) => AgentError): string {
  let release: unknown;
  try {
    release = JSON.parse(text);
  } catch {
    throw fault(`${path} is not JSON`);
  }
  for (const key of releaseKeys) {
    const image = fieldAt(release, 'images', key);
    if (typeof image === 'string' && image !== '') return image;
  }
  throw fault(`${path} names no image ${releaseKeys.join(' or ')}`);
}

/**
 * Returns an image reference with its source, or fails with `image-unknown` if it is malformed. The kubelet would
 * report a malformed reference only when it starts the container, in an event.
 */
function checked(value: string, source: string): Sourced<string> {
  if (/^[A-Za-z0-9[][A-Za-z0-9._:/@+[\]-]{0,510}$/.test(value)) return { value, source };
  throw unknown(`${JSON.stringify(value)} (${source}) is not an image reference`);
}

/**
 * Returns the error for an image that is not known. With `suggestsRunning`, the hint also names the option
 * `--running-image`, which only some commands have.
 */
function unknown(why: string, suggestsRunning = false): AgentError {
  const running = suggestsRunning ? '; or use the one that runs on the cluster, with --running-image' : '';
  return new AgentError('image-unknown', `the ovn-kubernetes image is not known: ${why}`, {
    hint: `name the image with --image or manifests.image in ovn.yaml, or install the package microshift-release-info${running}`,
  });
}
