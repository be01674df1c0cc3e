// Definition of ClusterNetworkPolicy with the names and the version of kubernetes-sigs/network-policy-api, but without
// its schema: the API server of the tests keeps every field.
export const definitionName = 'clusternetworkpolicies.policy.networking.k8s.io';

/** Path of the definitions, and of the objects of this one. */
export const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const clusterPoliciesPath = '/apis/policy.networking.k8s.io/v1alpha2/clusternetworkpolicies';

export const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: definitionName,
    // Groups of k8s.io need this annotation (Kubernetes, API approval).
    annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' },
  },
  spec: {
    group: 'policy.networking.k8s.io',
    scope: 'Cluster',
    names: { plural: 'clusternetworkpolicies', singular: 'clusternetworkpolicy', kind: 'ClusterNetworkPolicy' },
    versions: [
      {
        name: 'v1alpha2',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
