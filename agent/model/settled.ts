/**
 * What the outside world said when a run found nothing to do, byte for byte. A plan follows from these alone, so while they are the
 * same there still is nothing to do.
 */
export interface Settled {
  /** The build of the agent that judged them. */
  readonly agent: string;
  /** Configuration files and what the kernel says, as text. */
  readonly inputs: string;
  readonly bus: BusExchange;
  readonly ovsdb: OvsdbExchange;
}

/** Calls over one connection to the bus, and the bodies of their answers in order. */
export interface BusExchange {
  readonly address: string;
  readonly sent: Uint8Array;
  readonly replies: readonly Uint8Array[];
}

/** What went over one connection to ovsdb-server. */
export interface OvsdbExchange {
  readonly sent: Uint8Array;
  readonly received: Uint8Array;
}
