import type { KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import type { Config } from '../../../model/config.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { openClusterApi } from '../node/cluster-api.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { startCni } from './cni.ts';

/** CNI service of a node; it does nothing on a node without pod subnets. */
export interface NodeCni {
  /**
   * Starts the CNI service for the node of `record`. Restarts it if the name of the node, the remotes of the southbound
   * database, the cluster's MTU or the MTU of pods (in bytes) has changed. After a failure the caller has to call it
   * again.
   */
  know(record: OverlayRecord, podMtuBytes: number): Promise<void>;
  close(): void;
}

export function createNodeCni(
  config: Pick<Config, 'overlay'>,
  places: OverlayPlaces,
  say: (line: string) => void,
): NodeCni {
  let api: KubernetesApi | null = null;
  let stop = (): void => undefined;
  let served = '';
  return {
    know: async (record, podMtuBytes) => {
      const { node, layout, southbound } = record;
      const wanted = node.subnets.length === 0 ? '' : [node.name, layout.mtu, podMtuBytes, ...southbound].join(' ');
      if (wanted === served) return;
      stop();
      stop = () => undefined;
      served = '';
      if (wanted === '') return;
      api ??= openClusterApi(config, node.name, say);
      stop = await startCni(record, podMtuBytes, places, api, say);
      served = wanted;
    },
    close: () => {
      stop();
      api?.close();
    },
  };
}
