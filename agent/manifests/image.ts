import { AgentError } from '../errors.ts';
import type { Config, Sourced } from '../model/config.ts';
import { fieldAt, type KubernetesObject, listAt } from './object.ts';

/** MicroShift wrote the key with underscores until 2025 and with dashes since. */
const releaseKeys = ['ovn_kubernetes_microshift', 'ovn-kubernetes-microshift'];

/** Where an image reference may come from. */
export interface ImageSources {
  /** From the command line. */
  readonly asked: string | null;
  readonly config: Config;
  /** MicroShift's list of images: its path and text, the text null where there is no such file. */
  readonly release: { readonly path: string; readonly text: string | null };
}

/** The image of the containers: asked for, configured, or MicroShift's own. There is no default of ours to fall back to. */
export function chooseImage({ asked, config, release }: ImageSources): Sourced<string> {
  if (asked !== null) return checked(asked, '--image');
  const { value, source } = config.manifests.image;
  if (value !== null && value !== '') return checked(value, source);
  if (release.text === null)
    throw unknown(`${release.path} does not exist; it is in the package microshift-release-info`);
  return checked(imageOfRelease(release.path, release.text), release.path);
}

/** The image that the daemonsets on the cluster run with, MicroShift's or ours; throws unless all their containers have the same. */
export function imageOfDaemonSets(daemonSets: readonly KubernetesObject[]): string {
  const containers = daemonSets.flatMap((one) => listAt(one, 'spec', 'template', 'spec', 'containers'));
  const [image, ...others] = new Set(containers.map((container) => String(fieldAt(container, 'image'))));
  if (image === undefined) throw unknown('no daemonset of ovn-kubernetes is on the cluster');
  if (others.length > 0) throw unknown(`the daemonsets on the cluster run ${[image, ...others].join(' and ')}`);
  return image;
}

function imageOfRelease(path: string, text: string): string {
  let release: unknown;
  try {
    release = JSON.parse(text);
  } catch (error) {
    throw unknown(`${path} is not JSON`, error);
  }
  for (const key of releaseKeys) {
    const image = fieldAt(release, 'images', key);
    if (typeof image === 'string' && image !== '') return image;
  }
  throw unknown(`${path} names no image ${releaseKeys.join(' or ')}`);
}

/** The kubelet would only tell hours later, in an event, that a reference is malformed. */
function checked(value: string, source: string): Sourced<string> {
  if (/^[A-Za-z0-9[][A-Za-z0-9._:/@+[\]-]{0,510}$/.test(value)) return { value, source };
  throw unknown(`${JSON.stringify(value)} (${source}) is no image reference`);
}

function unknown(why: string, cause?: unknown): AgentError {
  return new AgentError('image-unknown', `the ovn-kubernetes image is not known: ${why}`, {
    hint: 'name it with --image or manifests.image in ovn.yaml, install microshift-release-info, or take the one that runs with --running-image',
    cause,
  });
}
