// Process with the daemon's watcher and a memory limit. Its arguments are a kubeconfig, the remote of OVN_Northbound
// and the cluster as JSON. It sends each state of the watcher, and ends with its parent.
import { followHeap } from '../../agent/drivers/host/process/heap.ts';
import { openApi } from '../../agent/drivers/kubernetes/open-api.ts';
import { startBoundedWatcher } from '../../agent/run/overlay/watcher/bounded.ts';
import type { Cluster } from '../../agent/run/overlay/watcher/object-events.ts';

const [kubeconfig = '', remote = '', cluster = ''] = process.argv.slice(2);
const watcher = startBoundedWatcher({
  api: openApi({ kubeconfig, nodeName: 'n1', say: () => undefined }),
  remote,
  teller: { say: () => undefined, fail: ({ message }) => process.stderr.write(`# ${message}\n`) },
  note: (state) => void process.send?.(state),
  followHeap,
});
watcher.know(JSON.parse(cluster) as Cluster);
process.on('disconnect', () => process.exit(0));
