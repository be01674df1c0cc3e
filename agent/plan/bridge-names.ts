/** Names the script this agent replaces gave its profiles; kept, because other tools and admins know them. */
export interface BridgeNames {
  readonly bridge: string;
  readonly bridgePort: string;
  readonly bridgeInterface: string;
  /** Profiles that the script made the NIC run as a port of the bridge; null if the script knows no such bridge. */
  readonly formerUplinkPort: string | null;
  readonly formerUplinkInterface: string | null;
  /** Route metric of the bridge: below every default of NetworkManager, so that the bridge has the default route. */
  readonly routeMetric: number;
  /** True for a bridge of `bridge add`, whose default route wins exactly where the NIC's did. */
  readonly isAdded: boolean;
}
