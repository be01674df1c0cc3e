import { defaultConfig } from '../../../config/defaults.ts';
import { outsideClients, serviceExposure } from '../../../config/exposure.ts';
import type { Encapsulation, ServiceExposure } from '../../../model/overlay.ts';

/** Nodes whose probes arrive by the direct route. */
export interface HeardNodes {
  /** Names of the nodes, sorted. The suffix `/ipv6` marks a node whose probes arrive over IPv6. */
  readonly names: readonly string[];
  /** False while `names` may still lack nodes, because their first probes may not have arrived yet. */
  readonly isComplete: boolean;
}

/** Paths of the overlay's files and sockets, and settings that depend on the node. */
export interface OverlayPlaces {
  /** Folder of keys and certificates; ca.key is on the central node only. */
  readonly pki: string;
  /** Record of this node's part in the cluster. */
  readonly record: string;
  /** File with the states that OVN's units had before the overlay started them. */
  readonly units: string;
  /**
   * File with the state of the daemon, which includes the values of nb_cfg that it last requested from the gateways.
   */
  readonly daemon: string;
  readonly ovsRun: string;
  /**
   * Run directories of OVN: the present directory (ovn, utilities/ovn-ctl, OVN_RUNDIR), and that of Open vSwitch, which
   * OVN used before its release 20.03.
   */
  readonly ovnRuns: readonly string[];
  /**
   * File with the inbound services that were last read from the southbound database. It is on tmpfs, so a boot deletes
   * it together with the flows of these services.
   */
  readonly services: string;
  /** File in which ovs-ctl(8) keeps the system-id. */
  readonly systemId: string;
  /** Socket at which the daemon listens for the CNI plug-in. The path is also a constant of the plug-in. */
  readonly cniSocket: string;
  /** Directory of CNI configurations (CNI specification, CRI-O and containerd). */
  readonly cniConfig: string;
  /** Data path type of br-int; null for the data path of the kernel. */
  readonly datapathType: 'netdev' | null;
  /**
   * Ports and addresses of this node that services may use; on the central node also the external addresses that are
   * allowed.
   */
  readonly exposure: ServiceExposure;
  /** Ranges of the outside clients that reach the pods of this node by a route. */
  readonly outsideClients: readonly string[];
  /** Interval of BFD between gateways that share an address; null if OVN's default applies. */
  readonly bfdIntervalMs: number | null;
  /**
   * Path of packets between pods of two nodes: through a tunnel, or by a direct route. Unless the value is `always`
   * (through tunnels), this node takes part in direct routes. The value on the central node applies to the cluster.
   */
  readonly encapsulation: Encapsulation;
  /** Kubeconfig of the daemon; null if the default locations are used. */
  readonly kubeconfig: string | null;
  /**
   * Returns SB_Global.external_ids as the daemon of a member last read this column; null before the first read. Only
   * the daemon has this function; other programs read the column themselves.
   */
  readonly published?: () => Readonly<Record<string, string>> | null;
  /**
   * Returns the nodes whose probes arrive at the daemon by the direct route; null if the daemon does not know yet which
   * nodes it has to probe. Only the daemon has this function; other programs leave the announcement of direct routes
   * unchanged.
   */
  readonly heard?: () => HeardNodes | null;
  /** Signal that ends every wait for a database; absent for work that must not be stopped. */
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
  outsideClients: outsideClients(defaultConfig),
  bfdIntervalMs: defaultConfig.overlay.bfdIntervalMs.value,
  encapsulation: defaultConfig.overlay.encapsulation.value,
  kubeconfig: null,
};
