import { basename, dirname } from 'node:path';
import { onFileEvent } from '../../../drivers/host/file-events.ts';
import type { KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import { kubeconfigPath } from '../../../drivers/kubernetes/kubeconfig.ts';
import { openApi } from '../../../drivers/kubernetes/open-api.ts';
import type { Config } from '../../../model/config.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { startCni } from '../cni/cni.ts';
import type { OverlayPlaces } from '../places.ts';

/** What the daemon does for Kubernetes, by what the node is in the overlay. */
export interface Roles {
  /** Starts what the node has to do by its record, and starts anew what follows from something that has changed. */
  settle(record: OverlayRecord): Promise<void>;
  close(): void;
}

export function createRoles(
  { overlay }: Pick<Config, 'overlay'>,
  places: OverlayPlaces,
  say: (line: string) => void,
): Roles {
  const kubeconfig = overlay.kubeconfig.value;
  let api: KubernetesApi | null = null;
  let stopFiles = (): void => undefined;
  let stopCni = (): void => undefined;
  let served = '';
  const open = (nodeName: string): KubernetesApi => {
    const opened = openApi({ kubeconfig, nodeName, say });
    const path = kubeconfigPath(kubeconfig, process.env);
    stopFiles = onFileEvent(dirname(path), (name) => name === basename(path), opened.wake);
    return opened;
  };
  return {
    settle: async (record) => {
      const { node, layout } = record;
      const wanted = node.subnets.length === 0 ? '' : `${node.name} ${layout.mtu}`;
      if (wanted === served) return;
      stopCni();
      stopCni = () => undefined;
      served = '';
      if (wanted === '') return;
      api ??= open(node.name);
      stopCni = await startCni(record, places, api, say);
      served = wanted;
    },
    close: () => {
      stopFiles();
      stopCni();
      api?.close();
    },
  };
}
