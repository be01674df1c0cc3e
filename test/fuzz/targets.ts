// All fuzz targets: every format that the agent reads and that other programs or users write.
import type { FuzzTarget } from './target.ts';
import { overlayAnnouncement } from './targets/announcement.ts';
import { overlayBundle } from './targets/bundle.ts';
import { cniRequests } from './targets/cni.ts';
import { clusterConfig, ovnYaml } from './targets/config.ts';
import { dbus } from './targets/dbus.ts';
import { hints } from './targets/hints.ts';
import { journal } from './targets/journal.ts';
import { kubeconfig } from './targets/kubeconfig.ts';
import { networkManager } from './targets/network-manager.ts';
import { networkManagerConf } from './targets/network-manager-conf.ts';
import { overlayTrace } from './targets/overlay-trace.ts';
import { ovsdb } from './targets/ovsdb.ts';
import { ovsdbMirror } from './targets/ovsdb-mirror.ts';
import { podAnnotations } from './targets/pod.ts';
import { release } from './targets/release.ts';
import { watchStream } from './targets/watch.ts';

export const targets: Readonly<Record<string, FuzzTarget>> = {
  'ovn.yaml': ovnYaml,
  'config.yaml': clusterConfig,
  hints,
  ovsdb,
  'ovsdb-mirror': ovsdbMirror,
  dbus,
  networkmanager: networkManager,
  'NetworkManager.conf': networkManagerConf,
  journal,
  release,
  kubeconfig,
  'overlay bundle': overlayBundle,
  'overlay announcement': overlayAnnouncement,
  'overlay trace': overlayTrace,
  'pod annotations': podAnnotations,
  'watch of a cluster': watchStream,
  cni: cniRequests,
};
