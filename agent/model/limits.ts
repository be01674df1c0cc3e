/*
 * Limits of waits that a plan writes into its steps.
 */

/** An activation includes a DHCP exchange; servers behind relays take up to 30 s, NetworkManager itself gives up after 45 s. */
export const activationLimitMs = 50_000;

/**
 * A lease for an address that the interface still has from before. NetworkManager takes the address away when it gives up after 45 s
 * (ipv4.dhcp-timeout); a run that fails before that can carry it back.
 */
export const leaseLimitMs = 40_000;

/** Duplicate address detection takes 1 s per probe, plus up to 1 s of random delay (RFC 4862 section 5.4). */
export const detectionLimitMs = 10_000;
