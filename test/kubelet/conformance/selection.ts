// Which of Kubernetes' end-to-end tests are run, by their names.

/**
 * Names of groups, and what the names of their tests match: what every conformant cluster passes, NetworkPolicy, and
 * what else needs no further feature (test/e2e/feature of Kubernetes), no certain provider, and breaks no control
 * plane.
 */
const groups = {
  conformance: /^\[sig-network\] .*\[Conformance\]/,
  policies: /^\[sig-network\] Netpol /,
  networking: /^\[sig-network\] (?!.*\[(Feature|Provider|Disruptive)\b)/,
} as const;

export type Group = keyof typeof groups;
export const groupNames = Object.keys(groups) as Group[];

/**
 * Returns the names that `e2e.test --list-tests` printed, in its order: a headline, and then for each test its place in
 * the source and its name.
 */
export function listedTests(printed: string): readonly string[] {
  return printed.split('\n').flatMap((line) => /^\s+\S+\.go:\d+: (.+)$/.exec(line)?.[1] ?? []);
}

/** Returns the tests of a group; a test belongs to the first group that it matches. */
export function testsOf(group: Group, names: readonly string[]): readonly string[] {
  return names.filter((name) => groupNames.find((each) => groups[each].test(name)) === group);
}

/** Whether a test has to run while no other one does: Kubernetes names such tests [Serial] or [Disruptive]. */
export function runsAlone(name: string): boolean {
  return /\[(Serial|Disruptive)\]/.test(name);
}
