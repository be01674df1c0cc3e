/**
 * An IPv6 default route that no packet takes, through a kernel bridge without ports and addresses, by which MicroShift finds the node's address on lo.
 *
 * With IPv6 alone MicroShift takes the first global address of the first default route's device (plan/microshift-address.ts, rule 5). That is br-ex,
 * on which MicroShift itself puts an address at every start, and the kernel lists the newest one first (Linux, net/ipv6/addrconf.c,
 * ipv6_link_dev_addr). Where the device of a default route has no such address MicroShift takes that of lo: the clause for routers whose interfaces
 * have only link-local addresses (RFC 5549; k8s.io/apimachinery, pkg/util/net/interface.go). It reads /proc/net/ipv6_route, in which the kernel
 * lists the routes of all tables, ordered by the last 8 bits of their numbers (Linux, net/ipv6/ip6_fib.c, ipv6_route_seq_next_table): one of this
 * table is the first.
 */
export const signpost = { device: 'microshift-lo', table: 200 * 256, gateway: 'fe80::1' } as const;
