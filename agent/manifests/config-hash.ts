import { createHash } from 'node:crypto';
import { fieldAt, type KubernetesObject, listAt } from '../model/kubernetes/object.ts';

/**
 * Annotation of a pod template that makes the pods restart after a change of a ConfigMap. Running pods do not notice
 * such a change by themselves.
 */
export const configHashAnnotation = 'microshift-net/config-hash';

/**
 * Returns a digest of the ConfigMaps that the pods of a template read; null if they read none of the rendered
 * ConfigMaps.
 */
export function configHash(podTemplate: unknown, objects: readonly KubernetesObject[]): string | null {
  const read = configMapsOf(podTemplate);
  const data = objects
    .filter(({ kind, metadata }) => kind === 'ConfigMap' && read.has(metadata.name))
    .map((object) => [object.metadata.name, Object.entries((object.data as Record<string, string>) ?? {}).sort()])
    .sort();
  if (data.length === 0) return null;
  return createHash('sha256').update(JSON.stringify(data)).digest('hex').slice(0, 16);
}

/** Returns the names of all ConfigMaps that a pod reads (PodSpec: volumes, projected volumes, env, envFrom). */
function configMapsOf(podTemplate: unknown): Set<unknown> {
  const volumes = listAt(podTemplate, 'spec', 'volumes');
  const sources = volumes.flatMap((volume) => listAt(volume, 'projected', 'sources'));
  const containers = ['containers', 'initContainers'].flatMap((field) => listAt(podTemplate, 'spec', field));
  const variables = containers.flatMap((container) => listAt(container, 'env'));
  const wholes = containers.flatMap((container) => listAt(container, 'envFrom'));
  const names = [
    ...[...volumes, ...sources].map((volume) => fieldAt(volume, 'configMap', 'name')),
    ...variables.map((variable) => fieldAt(variable, 'valueFrom', 'configMapKeyRef', 'name')),
    ...wholes.map((whole) => fieldAt(whole, 'configMapRef', 'name')),
  ];
  return new Set(names.filter((name) => name !== undefined));
}
