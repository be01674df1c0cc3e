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

function configMapsOf(podTemplate: unknown): Set<unknown> {
  const volumes = listAt(podTemplate, 'spec', 'volumes').map((volume) => fieldAt(volume, 'configMap', 'name'));
  const variables = listAt(podTemplate, 'spec', 'containers')
    .flatMap((container) => listAt(container, 'env'))
    .map((variable) => fieldAt(variable, 'valueFrom', 'configMapKeyRef', 'name'));
  return new Set([...volumes, ...variables].filter((name) => name !== undefined));
}
