import type { Config } from '../model/config.ts';
import { fieldAt, type KubernetesObject, listAt, mutableCopy, ownerLabels } from '../model/kubernetes/object.ts';
import { wavesOf } from '../model/kubernetes/object-kinds.ts';
import { type Flavor, flavorTraits } from '../model/manifest-flavors.ts';
import type { Json } from '../model/profile-settings.ts';
import { checkClusterRanges } from './check-cluster-ranges.ts';
import { configHash, configHashAnnotation } from './config-hash.ts';
import { ovnConfigData } from './ovn-config.ts';
import { ovnkubeConf } from './ovnkube-conf.ts';
import { scripts, templates } from './templates.generated.ts';

/**
 * Settings on which the rendered objects depend. Equal settings result in equal objects, on every node and in every
 * run.
 */
export interface ManifestSettings {
  readonly config: Config;
  readonly flavor: Flavor;
  readonly image: string;
  /** Directory in which the node's container runtime looks for CNI plug-ins. */
  readonly cniBinDirectory: string;
  /** Address of the control plane (multi-node, interconnect); null if node.nodeIP of config.yaml is used. */
  readonly controlPlane: string | null;
}

/** Directory in which CRI-O looks for CNI plug-ins on every MicroShift since 4.16; before, it was /opt/cni/bin. */
export const defaultCniBinDirectory = '/run/cni/bin';

type MutableObject = Record<string, Json>;

/**
 * Returns the objects of a flavour of the manifests in the order of their application, from the templates of
 * config/manifests.
 */
export function renderManifests(settings: ManifestSettings, sources = templates): KubernetesObject[] {
  checkClusterRanges(settings.config.cluster);
  const { folder } = flavorTraits[settings.flavor];
  const chosen = Object.entries(sources).filter(
    ([path]) => path.startsWith('common/') || path.startsWith(`${folder}/`),
  );
  const objects = chosen.flatMap(([, documents]) => documents).map((template) => fillIn(template, settings));
  return wavesOf(objects.map((object) => withConfigHash(object, objects))).flat();
}

function fillIn(template: KubernetesObject, settings: ManifestSettings): KubernetesObject {
  const object = mutableCopy(template);
  object.metadata = { ...object.metadata, labels: { ...object.metadata.labels, ...ownerLabels } };
  const data = template.kind === 'ConfigMap' ? configMapData[template.metadata.name]?.(settings) : undefined;
  if (data !== undefined) object.data = data;
  const pod = fieldAt(object, 'spec', 'template', 'spec');
  if (pod !== undefined) fillInPod(pod, settings);
  return object;
}

/**
 * Functions that return the data of a ConfigMap, by the name of the ConfigMap. The data come from the settings or from
 * the scripts of the containers. The data of every other ConfigMap are in its template.
 */
const configMapData: Readonly<Record<string, (settings: ManifestSettings) => Record<string, string>>> = {
  'ovnkube-config': ({ config, flavor }) => ({ 'ovnkube.conf': ovnkubeConf(config, flavor) }),
  'ovnkube-scripts': () => ({ ...scripts }),
  'ovn-config': ({ config, flavor, controlPlane }) => ovnConfigData(config, flavor, controlPlane),
};

function fillInPod(pod: unknown, { config, image, cniBinDirectory }: ManifestSettings): void {
  for (const container of listAt(pod, 'containers') as MutableObject[]) {
    container.image = image;
    container.imagePullPolicy = config.manifests.imagePullPolicy.value;
  }
  for (const volume of listAt(pod, 'volumes') as MutableObject[]) {
    if (volume.name === 'cni-bin') Object.assign(volume.hostPath as MutableObject, { path: cniBinDirectory });
  }
}

function withConfigHash(object: KubernetesObject, objects: readonly KubernetesObject[]): KubernetesObject {
  const hash = configHash(fieldAt(object, 'spec', 'template'), objects);
  if (hash === null) return object;
  const copy = mutableCopy(object);
  const annotations = fieldAt(copy, 'spec', 'template', 'metadata', 'annotations') as MutableObject;
  annotations[configHashAnnotation] = hash;
  return copy;
}
