/* Time limits of waits, and other numbers that a plan writes into its steps. */

/**
 * Time limit of an activation, in ms. It includes a DHCP exchange: servers behind relays take up to 30 s, and
 * NetworkManager's own limit is 45 s.
 */
export const activationLimitMs = 50_000;

/**
 * Time, in ms, to wait for a DHCP lease while the interface still has its earlier address (overlapSettings). A server
 * that has not answered by then is unreachable: the run fails, and its rollback moves the address back.
 */
export const leaseLimitMs = 40_000;

/**
 * Time limit of duplicate address detection, in ms: 1 s per probe, plus up to 1 s of random delay (RFC 4862 section
 * 5.4).
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
 * Lifetimes of an advertised address that the agent holds, if its remaining ones are not known any more: two hours, to which RFC 4862 section 5.5.3
 * bounds what an unauthenticated advertisement can take away. An address that no router advertises again ends then.
 */
export const heldIpv6Seconds = 7_200;

/**
 * Metric of the addresses that the agent adds to lo (ip-address(8), `metric`). The agent recognizes them by it after
 * the node's address has changed. It has no other effect, because an address with a host prefix has no connected route.
 */
export const loopbackMetric = 77;
