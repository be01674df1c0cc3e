import { defaultConfig } from '../../../config/defaults.ts';
import { serviceExposure } from '../../../config/exposure.ts';
import type { ServiceExposure } from '../../../model/overlay.ts';

/** Paths of the overlay's files and sockets, and settings that depend on the node. */
export interface OverlayPlaces {
  /** Keys and certificates; ca.key is on the central node only. */
  readonly pki: string;
  /** Record of this node's part in the cluster. */
  readonly record: string;
  /** States of the units of OVN before the overlay started them. */
  readonly units: string;
  /** State of the daemon, with the gateways that answer. */
  readonly daemon: string;
  readonly ovsRun: string;
  /** Run directory of OVN, and that of releases before 20.03 (ovn NEWS, "OVN run directory"). */
  readonly ovnRuns: readonly string[];
  /**
   * Inbound services as last read from the southbound database; on tmpfs, because the flows are lost in a boot as well.
   */
  readonly services: string;
  /** File in which ovs-ctl(8) keeps the system-id. */
  readonly systemId: string;
  /** Socket at which the CNI shim reaches the daemon; the shim contains the same path. */
  readonly cniSocket: string;
  /** Directory of CNI configurations (CNI specification, CRI-O and containerd). */
  readonly cniConfig: string;
  /** Data path type of br-int; null for the kernel's. */
  readonly datapathType: 'netdev' | null;
  /**
   * Ports and addresses of this node that services may use; on the central node also the allowed external addresses.
   */
  readonly exposure: ServiceExposure;
  /** Kubeconfig of the daemon; null if the default locations are used. */
  readonly kubeconfig: string | null;
  /** Signal that ends every wait for a database of the node's plan; absent if the work is not to be stopped. */
  readonly stop?: AbortSignal | undefined;
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
