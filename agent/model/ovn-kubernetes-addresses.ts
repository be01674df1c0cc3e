/*
 * Addresses that ovn-kubernetes reserves by default in every cluster (go-controller/pkg/config/config.go, in 2024 as in
 * 2026).
 */

interface OfFamilies {
  readonly 4: string;
  readonly 6: string;
}

/**
 * Masquerade subnets: sources of the host's packets to services if the host shares its address with the gateway.
 * With MicroShift, ovnkube gives br-ex the address fd69::2/125.
 */
export const masqueradeSubnets: OfFamilies = { 4: '169.254.169.0/29', 6: 'fd69::/125' };

/** First address of each masquerade subnet, at which pods see the host. No link has this address. */
export const masqueradeOfHost: OfFamilies = { 4: '169.254.169.1', 6: 'fd69::1' };

/** Next hop through which a gateway answers the host. No device has this address. */
export const masqueradeNextHop: OfFamilies = { 4: '169.254.169.4', 6: 'fd69::4' };

/**
 * Source of a service's packets to a pod that is both client and backend (ovn-nb(5), Load_Balancer
 * options:hairpin_snat_ip).
 */
export const masqueradeOfHairpin: OfFamilies = { 4: '169.254.169.5', 6: 'fd69::5' };

/** Default subnets of the switch that connects the gateway routers of the nodes with the router of the cluster. */
export const joinSubnets: OfFamilies = { 4: '100.64.0.0/16', 6: 'fd98::/64' };

/** Default subnets of the switch that connects the zones. They are reserved even if the cluster has only one zone. */
export const transitSubnets: OfFamilies = { 4: '100.88.0.0/16', 6: 'fd97::/64' };
