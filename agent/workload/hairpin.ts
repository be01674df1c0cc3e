/**
 * What a packet has as its source that comes back from a service to the pod that it is from (ovn-nb(5), Load_Balancer options:hairpin_snat_ip), those of
 * ovn-kubernetes (go-controller/pkg/config, masquerade subnet).
 */
export const hairpinSources: readonly string[] = ['169.254.169.5', 'fd69::5'];
