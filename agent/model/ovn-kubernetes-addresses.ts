/* Addresses that ovn-kubernetes uses by itself, whatever a cluster has (go-controller/pkg/config/config.go, in 2024 as in 2026). */

interface OfFamilies {
  readonly 4: string;
  readonly 6: string;
}

/** Where a host and its gateway share an address, what the host says to a service comes from these; MicroShift gives the node fd69::2/125, too. */
export const masqueradeSubnets: OfFamilies = { 4: '169.254.169.0/29', 6: 'fd69::/125' };

/** The first of each masquerade network: the host, as pods see it. It exists on no link. */
export const masqueradeOfHost: OfFamilies = { 4: '169.254.169.1', 6: 'fd69::1' };

/** The next hop by which a gateway answers the host; nobody has it. */
export const masqueradeNextHop: OfFamilies = { 4: '169.254.169.4', 6: 'fd69::4' };

/** The source of what comes back from a service to the pod that it is from (ovn-nb(5), Load_Balancer options:hairpin_snat_ip). */
export const masqueradeOfHairpin: OfFamilies = { 4: '169.254.169.5', 6: 'fd69::5' };

/** The switch between routers, where none is set. */
export const joinSubnets: OfFamilies = { 4: '100.64.0.0/16', 6: 'fd98::/64' };

/** The switch between zones, which is reserved with one zone, too. */
export const transitSubnets: OfFamilies = { 4: '100.88.0.0/16', 6: 'fd97::/64' };
