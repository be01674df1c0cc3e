import { dump, load } from 'js-yaml';
import type { KubernetesObject } from '../../model/kubernetes/object.ts';

const yamlStyle = { lineWidth: -1, noRefs: true } as const;

/** Returns the objects as one stream of YAML documents. */
export function yamlStream(objects: readonly KubernetesObject[]): string {
  return objects.map((object) => `---\n${dump(object, yamlStyle)}`).join('');
}

/**
 * Returns the objects as files of a directory, numbered in the order of their application, and optionally a
 * kustomization that lists them.
 */
export function yamlFiles(objects: readonly KubernetesObject[], withKustomization: boolean): Record<string, string> {
  const files: Record<string, string> = {};
  for (const [index, object] of objects.entries()) {
    const name = `${object.kind}-${object.metadata.name}`.toLowerCase();
    files[`${String(index + 1).padStart(2, '0')}-${name}.yaml`] = dump(object, yamlStyle);
  }
  if (!withKustomization) return files;
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: Object.keys(files),
  };
  return { ...files, 'kustomization.yaml': dump(kustomization, yamlStyle) };
}

/** Parses a YAML text of another program, such as a kubeconfig. */
export function parseYaml(text: string): unknown {
  return load(text);
}
