// Environment variables of a container, and fields of its pod.
import type { Api, Json } from './kubelet-requests.ts';

/** Value of PATH in every new container. */
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Returns the value of a field of the downward API, such as spec.nodeName or metadata.labels['app']. */
export function fieldOf(pod: Json, fieldPath: string): string {
  const [, of, key] = /^(metadata\.(?:labels|annotations))\['(.+)'\]$/.exec(fieldPath) ?? [];
  const names = (of ?? fieldPath).split('.');
  const found = names.reduce((value: Json, name) => value?.[name], pod);
  const value = key === undefined ? found : found?.[key];
  if (value === undefined) throw new Error(`the pod has no ${fieldPath}`);
  return String(value);
}

/** Returns the data of a ConfigMap; empty if the ConfigMap does not exist and is optional. */
export async function configMapData(api: Api, namespace: string, source: Json): Promise<Record<string, string>> {
  const { status, body } = await api.call('GET', `/api/v1/namespaces/${namespace}/configmaps/${source.name}`);
  if (status === 200) return body.data ?? {};
  if (status === 404 && source.optional === true) return {};
  throw new Error(`ConfigMap ${source.name}: ${body.message}`);
}

/** Returns the environment variables of a container, in the order in which the API evaluates them. */
export async function environmentOf(api: Api, pod: Json, container: Json): Promise<Record<string, string>> {
  const { namespace, name } = pod.metadata;
  const result: Record<string, string> = { PATH: path, HOSTNAME: name };
  const kubernetes = await api.call('GET', '/api/v1/namespaces/default/services/kubernetes');
  if (kubernetes.status === 200) {
    Object.assign(result, {
      KUBERNETES_SERVICE_HOST: kubernetes.body.spec.clusterIP,
      KUBERNETES_SERVICE_PORT: '443',
    });
  }
  for (const { prefix = '', configMapRef } of container.envFrom ?? []) {
    for (const [key, value] of Object.entries(await configMapData(api, namespace, configMapRef))) {
      result[`${prefix}${key}`] = value;
    }
  }
  for (const { name: key, value, valueFrom } of container.env ?? []) {
    const found = valueFrom === undefined ? expand(value ?? '', result) : await valueFromOf(api, pod, valueFrom);
    if (found !== undefined) result[key] = found;
  }
  return result;
}

/** Replaces `$(NAME)` by the value of the variable, if the variable exists. */
export function expand(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$\(([^)]+)\)/g, (whole, name: string) => variables[name] ?? whole);
}

async function valueFromOf(api: Api, pod: Json, { fieldRef, configMapKeyRef }: Json): Promise<string | undefined> {
  if (fieldRef !== undefined) return fieldOf(pod, fieldRef.fieldPath);
  if (configMapKeyRef === undefined) throw new Error('only fieldRef and configMapKeyRef are known as a source');
  const value = (await configMapData(api, pod.metadata.namespace, configMapKeyRef))[configMapKeyRef.key];
  if (value !== undefined || configMapKeyRef.optional === true) return value;
  throw new Error(`ConfigMap ${configMapKeyRef.name} has no ${configMapKeyRef.key}`);
}
