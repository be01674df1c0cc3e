/**
 * The sources that a pod sees of what it has sent to a service and got back itself (ovn-nb(5), Load_Balancer options:hairpin_snat_ip): those that
 * ovn-kubernetes has.
 */
export const hairpinSources = ['169.254.169.5', 'fd69::5'] as const;
