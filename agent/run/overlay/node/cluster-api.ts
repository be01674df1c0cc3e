import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { onFileEvent } from '../../../drivers/host/files/file-events.ts';
import type { KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import { kubeconfigPath } from '../../../drivers/kubernetes/kubeconfig.ts';
import { openApi } from '../../../drivers/kubernetes/open-api.ts';
import type { Config } from '../../../model/config.ts';

/** Returns true if the kubeconfig of this node's daemon exists. The daemon then applies network policies. */
export function hasKubernetes({ kubeconfig }: { readonly kubeconfig: string | null }): boolean {
  return existsSync(kubeconfigPath(kubeconfig, process.env));
}

/**
 * Connects to the API server that the configured kubeconfig names. Waits for the file if it does not exist yet, and
 * reads it again when it changes.
 */
export function openClusterApi(
  { overlay }: Pick<Config, 'overlay'>,
  nodeName: string,
  say: (message: string) => void,
): KubernetesApi {
  const kubeconfig = overlay.kubeconfig.value;
  const api = openApi({ kubeconfig, nodeName, say });
  const path = kubeconfigPath(kubeconfig, process.env);
  const stopFile = onFileEvent(dirname(path), (name) => name === basename(path), api.wake);
  return {
    ...api,
    close: () => {
      stopFile();
      api.close();
    },
  };
}
