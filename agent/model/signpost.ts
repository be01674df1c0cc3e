/**
 * IPv6 default route by which MicroShift finds the node's address on lo. It leads through a kernel bridge without ports
 * and addresses, and no packet uses it.
 *
 * With IPv6 alone, MicroShift takes the first global address of the first default route's device
 * (plan/microshift-address.ts, rule 5). That device is br-ex, to which MicroShift itself adds an address at every
 * start, and the kernel lists the newest address first (Linux, net/ipv6/addrconf.c, ipv6_link_dev_addr). If the device
 * of a default route has no global address, MicroShift takes the address of lo: the rule for routers whose interfaces
 * have only link-local addresses (RFC 5549; k8s.io/apimachinery, pkg/util/net/interface.go). MicroShift reads
 * /proc/net/ipv6_route, in which the kernel lists the routes of all tables, ordered by the last 8 bits of the table
 * numbers (Linux, net/ipv6/ip6_fib.c, ipv6_route_seq_next_table). In the number of the signpost's table, these bits are
 * zero, so the signpost comes first.
 */
export const signpost = { device: 'microshift-lo', table: 200 * 256, gateway: 'fe80::1' } as const;
