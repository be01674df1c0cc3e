/**
 * Names that the script that this agent replaces gave its profiles. They stay, because other tools and administrators
 * know them.
 */
export interface BridgeNames {
  readonly bridge: string;
  readonly bridgePort: string;
  readonly bridgeInterface: string;
  /**
   * Ids of profiles with which the script made the NIC a port of the bridge; null if the script does not know the
   * bridge.
   */
  readonly formerUplinkPort: string | null;
  readonly formerUplinkInterface: string | null;
  /** Route metric of the bridge: below every default of NetworkManager, so that the bridge has the default route. */
  readonly routeMetric: number;
  /** True for a bridge of `bridge add`, whose default route is preferred exactly where the NIC's was. */
  readonly isAdded: boolean;
}
