/** A bridge that `bridge add` has made of a NIC. */
export interface AddedBridge {
  readonly bridge: string;
  readonly interface: string;
  /** Of the bridge's routes, where the NIC's profile asks for none. */
  readonly routeMetric: number;
}
