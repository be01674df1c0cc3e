// All fuzz targets: every format that the agent reads and that other programs or users write.
import type { FuzzTarget } from './target.ts';

/** Targets by name. A thread loads only the part of the agent that its target tests. */
export const targets: Readonly<Record<string, () => Promise<FuzzTarget>>> = {
  'ovn.yaml': async () => (await import('./targets/config.ts')).ovnYaml,
  'config.yaml': async () => (await import('./targets/config.ts')).clusterConfig,
  hints: async () => (await import('./targets/hints.ts')).hints,
  ovsdb: async () => (await import('./targets/ovsdb.ts')).ovsdb,
  'ovsdb-mirror': async () => (await import('./targets/ovsdb-mirror.ts')).ovsdbMirror,
  dbus: async () => (await import('./targets/dbus.ts')).dbus,
  networkmanager: async () => (await import('./targets/network-manager.ts')).networkManager,
  'NetworkManager.conf': async () => (await import('./targets/network-manager-conf.ts')).networkManagerConf,
  journal: async () => (await import('./targets/journal.ts')).journal,
  release: async () => (await import('./targets/release.ts')).release,
  kubeconfig: async () => (await import('./targets/kubeconfig.ts')).kubeconfig,
  'overlay bundle': async () => (await import('./targets/bundle.ts')).overlayBundle,
  'overlay announcement': async () => (await import('./targets/announcement.ts')).overlayAnnouncement,
  'overlay trace': async () => (await import('./targets/overlay-trace.ts')).overlayTrace,
  'pod annotations': async () => (await import('./targets/pod.ts')).podAnnotations,
  'watch of a cluster': async () => (await import('./targets/watch.ts')).watchStream,
  cni: async () => (await import('./targets/cni.ts')).cniRequests,
};
