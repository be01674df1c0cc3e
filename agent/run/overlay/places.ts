import { defaultConfig } from '../../config/defaults.ts';
import { serviceExposure } from '../../config/exposure.ts';
import type { ServiceExposure } from '../../model/overlay.ts';

/** Where the overlay keeps its files and looks for the daemons, and how Open vSwitch forwards. */
export interface OverlayPlaces {
  /** Keys and certificates; ca.key is on the central node only. */
  readonly pki: string;
  /** What this node is in the cluster. */
  readonly record: string;
  /** How units of OVN were before we started them. */
  readonly units: string;
  /** What the daemon writes of itself, and of the gateways that answer. */
  readonly daemon: string;
  readonly ovsRun: string;
  /** OVN's own folder, and the one of releases before 20.03 (ovn NEWS, "OVN run directory"). */
  readonly ovnRuns: readonly string[];
  /** The services that arrived here when the southbound database last told; in memory, as flows are. */
  readonly services: string;
  /** Where ovs-ctl(8) keeps system-id. */
  readonly systemId: string;
  /** Where the CNI plug-in asks the daemon; the shim has it, too. */
  readonly cniSocket: string;
  /** Where container runtimes look for networks (CNI specification, CRI-O and containerd). */
  readonly cniConfig: string;
  /** The data path of br-int; null: the kernel's. */
  readonly datapathType: 'netdev' | null;
  /** Ports and addresses of this node that services may use, and on the central node also those outside of the cluster. */
  readonly exposure: ServiceExposure;
  /** The kubeconfig of the daemon; null: as it is found without a setting. */
  readonly kubeconfig: string | null;
}

export const overlayPlaces: OverlayPlaces = {
  pki: '/etc/microshift-net/pki',
  record: '/var/lib/microshift-net/overlay.json',
  units: '/var/lib/microshift-net/overlay-units.json',
  daemon: '/run/microshift-net/overlay-run.json',
  ovsRun: '/run/openvswitch',
  ovnRuns: ['/run/ovn', '/var/run/openvswitch'],
  services: '/run/microshift-net/overlay-services.json',
  systemId: '/etc/openvswitch/system-id.conf',
  cniSocket: '/run/microshift-net/cni.sock',
  cniConfig: '/etc/cni/net.d',
  datapathType: null,
  exposure: serviceExposure(defaultConfig),
  kubeconfig: null,
};
