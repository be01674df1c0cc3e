// Contents of a container's mount paths: folders of the node, and folders that the pod's volumes need.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Api, Json } from './kubelet-requests.ts';
import { configMapData, fieldOf } from './values.ts';

type Files = Record<string, string>;

/** Creates a pod's volumes; returns the folder or file of each. The content of an emptyDir lives as long as the pod. */
export async function makeVolumes(api: Api, pod: Json, folder: string): Promise<Record<string, string>> {
  const places: Record<string, string> = {};
  for (const volume of pod.spec.volumes ?? []) {
    const place = join(folder, 'volumes', volume.name);
    places[volume.name] = volume.hostPath === undefined ? place : onNode(volume.hostPath);
    if (volume.emptyDir !== undefined) mkdirSync(place, { recursive: true });
    else if (volume.hostPath === undefined) writeFiles(place, await filesOf(api, pod, volume));
  }
  return places;
}

function onNode({ path, type = '' }: Json): string {
  if (type.endsWith('OrCreate')) mkdirSync(type === 'FileOrCreate' ? dirname(path) : path, { recursive: true });
  if (type === 'FileOrCreate' && !existsSync(path)) writeFileSync(path, '');
  if (!existsSync(path)) throw new Error(`the node has no ${path}`);
  return path;
}

/** Replaces the files in a folder; files for keys that the ConfigMap no longer has disappear. */
function writeFiles(folder: string, files: Files): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

async function filesOf(api: Api, pod: Json, { name, configMap, projected }: Json): Promise<Files> {
  const sources = projected?.sources ?? (configMap === undefined ? [] : [{ configMap }]);
  if (sources.length === 0) throw new Error(`volume ${name} is of a kind that is not known`);
  const each = await Promise.all(sources.map((source: Json) => filesFrom(api, pod, source)));
  return Object.assign({}, ...each);
}

async function filesFrom(api: Api, pod: Json, { configMap, downwardAPI, serviceAccountToken }: Json): Promise<Files> {
  const { namespace, name, uid } = pod.metadata;
  if (configMap !== undefined) {
    const data = await configMapData(api, namespace, configMap);
    if (configMap.items === undefined) return data;
    return Object.fromEntries(configMap.items.map((item: Json) => [item.path, data[item.key] ?? '']));
  }
  if (downwardAPI !== undefined) {
    return Object.fromEntries(
      downwardAPI.items.map((item: Json) => [item.path, fieldOf(pod, item.fieldRef.fieldPath)]),
    );
  }
  if (serviceAccountToken === undefined) throw new Error('a projected volume has a source that is not known');
  const { audience, expirationSeconds, path } = serviceAccountToken;
  const account = `/api/v1/namespaces/${namespace}/serviceaccounts/${pod.spec.serviceAccountName}/token`;
  const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name, uid };
  const spec = { expirationSeconds, boundObjectRef, ...(audience === undefined ? {} : { audiences: [audience] }) };
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  return { [path]: (await api.must('POST', account, body)).status.token };
}
