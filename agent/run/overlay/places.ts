/** Where the overlay keeps its files and looks for the daemons, and how Open vSwitch forwards. */
export interface OverlayPlaces {
  /** Keys and certificates; ca.key is on the central node only. */
  readonly pki: string;
  /** What this node is in the cluster. */
  readonly record: string;
  /** What the daemon writes of itself, and of the gateways that answer. */
  readonly daemon: string;
  readonly ovsRun: string;
  /** OVN's own folder, and the one of releases before 20.03 (ovn NEWS, "OVN run directory"). */
  readonly ovnRuns: readonly string[];
  /** Where ovs-ctl(8) keeps system-id. */
  readonly systemId: string;
  /** The data path of br-int; null: the kernel's. */
  readonly datapathType: 'netdev' | null;
}

export const overlayPlaces: OverlayPlaces = {
  pki: '/etc/microshift-net/pki',
  record: '/var/lib/microshift-net/overlay.json',
  daemon: '/run/microshift-net/overlay-run.json',
  ovsRun: '/run/openvswitch',
  ovnRuns: ['/run/ovn', '/var/run/openvswitch'],
  systemId: '/etc/openvswitch/system-id.conf',
  datapathType: null,
};
