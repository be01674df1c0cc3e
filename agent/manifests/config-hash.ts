import { createHash } from 'node:crypto';
import { fieldAt, type KubernetesObject, listAt } from './object.ts';

/** Pods do not notice a changed ConfigMap by themselves; this annotation of their template makes them roll. */
export const configHashAnnotation = 'microshift-net/config-hash';

/** A digest of what the pods of a template read, or null where they read nothing that we render. */
export function configHash(podTemplate: unknown, objects: readonly KubernetesObject[]): string | null {
  const read = configMapsOf(podTemplate);
  const data = objects
    .filter(({ kind, metadata }) => kind === 'ConfigMap' && read.has(metadata.name))
    .map((object) => [object.metadata.name, Object.entries((object.data as Record<string, string>) ?? {}).sort()])
    .sort();
  if (data.length === 0) return null;
  return createHash('sha256').update(JSON.stringify(data)).digest('hex').slice(0, 16);
}

/** Every way in which a pod reads a ConfigMap (PodSpec: volumes, projected volumes, env, envFrom). */
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
