/* Time limits of the waits of a plan, and metrics and lifetimes that a plan writes into its steps. */

/**
 * Time limit of an activation, in ms. It includes a DHCP exchange: servers behind relays take up to 30 s, and
 * NetworkManager's own limit is 45 s.
 */
export const activationLimitMs = 50_000;

/**
 * Time, in ms, to wait for a DHCP lease after the node's address has moved to another interface. Until the lease
 * arrives, that interface has the address without a lease. A server that has not answered in this time counts as
 * unreachable: the run fails, and its rollback moves the address back.
 */
export const leaseLimitMs = 40_000;

/**
 * Time limit of duplicate address detection, in ms. The detection takes 1 s per probe, of which the kernel sends one by
 * default, plus up to 1 s of random delay (RFC 4862 section 5.4).
 */
export const detectionLimitMs = 10_000;

/**
 * Value of ipv4.dhcp-timeout with which a DHCP client never gives up (nm-settings(5)). NetworkManager removes the whole
 * configuration of a device when its client gives up.
 */
export const endlessDhcpTimeout = 2_147_483_647;

/**
 * Metric of routes and addresses that the agent adds to a link until NetworkManager has added its own. It is above
 * every default metric of NetworkManager, including the penalty of 20000 for a device without connectivity.
 */
export const standbyMetric = 40_000;
/**
 * Lifetime in seconds of an advertised IPv6 address that the agent adds to an interface when the address's remaining
 * lifetime is not known. The value is the two hours below which an unauthenticated advertisement cannot shorten a
 * lifetime (RFC 4862 section 5.5.3). The address expires after that time unless a router advertises its prefix again.
 */
export const heldIpv6Seconds = 7_200;

/**
 * Metric of the addresses that the agent adds to lo (ip-address(8), `metric`). By this metric, the agent recognizes
 * these addresses after the node's address has changed. The metric has no other effect, because an address with a host
 * prefix has no connected route.
 */
export const loopbackMetric = 77;

/**
 * Time, in seconds, from the deadline for the confirmation of a change until NetworkManager's rollback to the
 * checkpoint. In this time, the agent rolls back the steps one by one. Its rollback keeps MicroShift's bridge and
 * leaves the profiles active. NetworkManager's own rollback deletes a bridge that it manages, together with the ports
 * and flows of other programs, and activates every profile again, even that of lo (nm-checkpoint.c). NetworkManager's
 * rollback is needed only if the agent cannot start.
 */
export const confirmReserveSeconds = 30;
