/** A bridge that `bridge add` built from a NIC. */
export interface AddedBridge {
  readonly bridge: string;
  readonly interface: string;
  /** Metric of the bridge's routes if the NIC's profile sets none. */
  readonly routeMetric: number;
}
