/**
 * Names of a bridge and its profiles. br-ex and br-ex1 keep the names of configure-ovs.sh, the script that this agent
 * replaces, because other tools and administrators know them.
 */
export interface BridgeNames {
  readonly bridge: string;
  readonly bridgePort: string;
  readonly bridgeInterface: string;
  /**
   * Id of the profile with which configure-ovs.sh made the NIC a port of the bridge; null for a bridge that the script
   * does not know.
   */
  readonly formerUplinkPort: string | null;
  readonly formerUplinkInterface: string | null;
  /**
   * Route metric of the bridge. The metrics of br-ex and br-ex1 are below every default metric that NetworkManager
   * gives a NIC, so that the routes of these bridges take precedence.
   */
  readonly routeMetric: number;
  /**
   * True for a bridge of `bridge add`. Its default route has the same precedence over other routes as the NIC's route
   * had before the move.
   */
  readonly isAdded: boolean;
}
