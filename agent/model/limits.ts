/*
 * Limits of waits and other numbers that a plan writes into its steps.
 */

/** An activation includes a DHCP exchange; servers behind relays take up to 30 s, NetworkManager itself gives up after 45 s. */
export const activationLimitMs = 50_000;

/**
 * A lease for an address that the interface still has from before, which it keeps meanwhile (overlapSettings). A server that has not answered by
 * then is away, and a run that fails carries the address back.
 */
export const leaseLimitMs = 40_000;

/** Duplicate address detection takes 1 s per probe, plus up to 1 s of random delay (RFC 4862 section 5.4). */
export const detectionLimitMs = 10_000;

/** A DHCP client that never gives up (nm-settings(5), ipv4.dhcp-timeout). NetworkManager takes everything off a device whose client does. */
export const endlessDhcpTimeout = 2_147_483_647;

/**
 * Metric of what the agent gives a link beside NetworkManager until NetworkManager has its own: above every one that it gives by default (the
 * highest is 20000 more, for a device without connectivity).
 */
export const standbyMetric = 40_000;
/**
 * Metric of the addresses that the agent gives lo, by which it knows them again when the node has another one: ip-address(8), `metric`. An address
 * of one host has no connected route that it could count for.
 */
export const loopbackMetric = 77;
