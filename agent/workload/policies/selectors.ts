import type { LabelExpression, LabelSelector, Labels } from '../../model/workload.ts';

/** Label with the name of a namespace, which every API server sets (kubernetes.io, "Automatic labelling"). */
export const nameLabel = 'kubernetes.io/metadata.name';

/** Returns true if all requirements of a selector hold (metav1 LabelSelector); an empty selector selects everything. */
export function selects({ matchLabels, matchExpressions }: LabelSelector, labels: Labels): boolean {
  for (const key in matchLabels) if (labels[key] !== matchLabels[key]) return false;
  return matchExpressions === undefined || matchExpressions.every((expression) => holds(expression, labels));
}

/** Returns true if a requirement holds; `NotIn` also holds for an absent label. */
function holds({ key, operator, values = [] }: LabelExpression, labels: Labels): boolean {
  // Only the object's own properties count, because a label may have the name of a property that every object inherits,
  // such as `constructor`.
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}

/** Returns true for a selector that selects everything. */
export function isEverything({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/** Returns the canonical form of a selector, independent of the order in which it was written. */
export function canonicalSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): LabelSelector {
  const labels = Object.entries(matchLabels).toSorted(([a], [b]) => compare(a, b));
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => ({
    key,
    operator,
    ...(values.length > 0 && { values: [...new Set(values)].toSorted(compare) }),
  }));
  return {
    ...(labels.length > 0 && { matchLabels: Object.fromEntries(labels) }),
    ...(expressions.length > 0 && {
      matchExpressions: expressions.toSorted((a, b) => compare(JSON.stringify(a), JSON.stringify(b))),
    }),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
