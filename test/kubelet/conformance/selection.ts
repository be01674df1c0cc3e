// Selects Kubernetes' end-to-end tests by their names.

/**
 * Groups of tests, each with a pattern for the names of its tests: the tests that every conformant cluster passes, the
 * tests of NetworkPolicy, and other tests. The last group leaves out tests that need an optional feature
 * (test/e2e/feature of Kubernetes) or a particular cloud provider, and tests that damage the control plane.
 */
const groups = {
  conformance: /^\[sig-network\] .*\[Conformance\]/,
  policies: /^\[sig-network\] Netpol /,
  networking: /^\[sig-network\] (?!.*\[(Feature|Provider|Disruptive)\b)/,
} as const;

export type Group = keyof typeof groups;
export const groupNames = Object.keys(groups) as Group[];

/**
 * Returns the names in the output of `e2e.test --list-tests`, in its order: the output has a headline, and then one
 * line for each test with its place in the source and its name.
 */
export function listedTests(printed: string): readonly string[] {
  return printed.split('\n').flatMap((line) => /^\s+\S+\.go:\d+: (.+)$/.exec(line)?.[1] ?? []);
}

/** Returns the tests of a group; a test belongs to the first group that it matches. */
export function testsOf(group: Group, names: readonly string[]): readonly string[] {
  return names.filter((name) => groupNames.find((each) => groups[each].test(name)) === group);
}

/** Returns true if a test must run alone: Kubernetes names such tests [Serial] or [Disruptive]. */
export function runsAlone(name: string): boolean {
  return /\[(Serial|Disruptive)\]/.test(name);
}
