import { followHeap } from '../../../drivers/host/process/heap.ts';
import type { Config } from '../../../model/config.ts';
import type { OverlayNode } from '../../../model/overlay.ts';
import type { WatcherState } from '../../../model/overlay-daemon.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { DaemonOutput } from '../loop/daemon-report.ts';
import { openClusterApi } from '../node/cluster-api.ts';
import { withWhatItHas } from '../node/occupied-places.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { startBoundedWatcher } from './bounded.ts';
import type { Watcher } from './watcher.ts';

/** Watcher in the daemon of the central node; it does nothing on other nodes. */
export interface CentralWatcher {
  /** Sets the record of the node, and the members on which the last plan was based. */
  know(record: OverlayRecord, members: readonly OverlayNode[]): void;
  close(): Promise<void>;
}

/**
 * Creates a watcher that starts when it first gets the record of a central node. Waits for the kubeconfig if it does
 * not exist.
 */
export function createCentralWatcher(
  config: Pick<Config, 'overlay'>,
  places: OverlayPlaces,
  output: DaemonOutput,
  note: (state: WatcherState) => void,
): CentralWatcher {
  const { ovnRuns, exposure } = places;
  let running: { readonly watcher: Pick<Watcher, 'know' | 'close'>; readonly stop: () => void } | null = null;
  const start = (nodeName: string) => {
    const api = openClusterApi(config, nodeName, output.say);
    const remote = ovnRuns.map((folder) => `unix:${folder}/ovnnb_db.sock`).join(',');
    return { watcher: startBoundedWatcher({ api, remote, teller: output, note, followHeap }), stop: api.close };
  };
  return {
    know: ({ layout, members, node, peers = [] }, nodes) => {
      if (members === null) return;
      running ??= start(node.name);
      const known = nodes.map((one) => (one.name === node.name ? withWhatItHas(one, layout, places) : one));
      running.watcher.know({ layout, nodes: known, exposure, peers });
    },
    close: async () => {
      await running?.watcher.close();
      running?.stop();
    },
  };
}
