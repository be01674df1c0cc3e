/** The zone of firewalld that accepts everything. */
export const trustedZone = 'trusted';

/** Sources of one zone of firewalld: those that count now, and those that count after its next start. */
export interface ZoneSources {
  readonly zone: string;
  readonly running: readonly string[];
  readonly permanent: readonly string[];
}

/** Where firewalld has interfaces. */
export interface InterfaceZones {
  /** Zone of an interface that is not assigned to a zone. */
  readonly defaultZone: string;
  /** The zone of each interface that has been assigned to one. */
  readonly assigned: Readonly<Record<string, string>>;
}

/** A source that must be trusted, and why. */
export interface TrustedSource {
  readonly source: string;
  readonly why: string;
  readonly family: 4 | 6;
}

/** What is missing where. */
export interface FirewallPlan {
  readonly zone: string;
  readonly wanted: readonly TrustedSource[];
  readonly addRunning: readonly string[];
  readonly addPermanent: readonly string[];
}
