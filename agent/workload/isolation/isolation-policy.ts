import type { KubernetesObject } from '../../model/kubernetes/object.ts';
import { type Isolation, isolationName } from '../../model/namespace-isolation.ts';
import type { ClusterNetworkPolicy, LabelExpression } from '../../model/workload.ts';
import { groupsAnnotation } from '../cluster-policies/read-cluster-policy.ts';
import { nameLabel } from '../policies/selectors.ts';

/**
 * Returns the policy that separates namespaces. The policy has the lowest precedence in the Baseline tier, so that
 * NetworkPolicies and other ClusterNetworkPolicies decide first. An annotation of this product groups the namespaces;
 * an implementation that does not know the annotation also denies traffic within a group.
 */
export function isolationPolicy({ globalNamespaces, groupLabel }: Isolation): KubernetesObject {
  const named = (operator: 'In' | 'NotIn') => ({
    matchExpressions: [{ key: nameLabel, operator, values: [...globalNamespaces] }],
  });
  const hasGlobal = globalNamespaces.length > 0;
  return {
    apiVersion: 'policy.networking.k8s.io/v1alpha2',
    kind: 'ClusterNetworkPolicy',
    metadata: { name: isolationName, annotations: { [groupsAnnotation]: groupLabel } },
    spec: {
      tier: 'Baseline',
      priority: 1000,
      subject: { namespaces: hasGlobal ? named('NotIn') : {} },
      ingress: [
        ...(hasGlobal ? [{ name: 'from-global', action: 'Accept', from: [{ namespaces: named('In') }] }] : []),
        { name: 'from-other-groups', action: 'Deny', from: [{ namespaces: {} }] },
      ],
    },
  };
}

/** Returns the isolation from which `isolationPolicy` has made a policy; null if `policy` is undefined. */
export function isolationOf(policy: ClusterNetworkPolicy | undefined): Isolation | null {
  if (policy === undefined) return null;
  const isExclusion = ({ key, operator }: LabelExpression): boolean => key === nameLabel && operator === 'NotIn';
  const expressions = policy.subject?.namespaces.matchExpressions ?? [];
  return {
    globalNamespaces: expressions.filter(isExclusion).flatMap(({ values = [] }) => values),
    groupLabel: policy.groupLabel ?? '',
  };
}
