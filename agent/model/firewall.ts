/** Zone of firewalld that accepts all traffic. */
export const trustedZone = 'trusted';

/** Sources of one firewalld zone, in the runtime and in the permanent configuration. */
export interface ZoneSources {
  readonly zone: string;
  readonly running: readonly string[];
  readonly permanent: readonly string[];
}

/** Assignment of interfaces to firewalld zones. */
export interface InterfaceZones {
  /** Default zone, which applies to an interface that is assigned to no zone. */
  readonly defaultZone: string;
  /** Zone of each interface that is assigned to a zone. */
  readonly assigned: Readonly<Record<string, string>>;
}

/** Source of packets that has to be in the zone `trusted`, with the reason. */
export interface TrustedSource {
  readonly source: string;
  readonly why: string;
  readonly family: 4 | 6;
}

/** Sources that have to be added to a zone. */
export interface FirewallPlan {
  readonly zone: string;
  readonly wanted: readonly TrustedSource[];
  readonly addRunning: readonly string[];
  readonly addPermanent: readonly string[];
}
