/*
 * Bug of another program that affects this agent, and the versions that have it. A distribution may have added the fix
 * to an older version, so a known bug is only a warning.
 */

export interface KnownBug {
  /** First version with the bug; absent if all versions before the fix have it. */
  readonly since?: string;
  /** Versions with the fix, one for each branch that received it; later branches have it from their start. */
  readonly fixedIn: readonly string[];
  readonly what: string;
  /** True if only the userspace data path has the bug. */
  readonly userspaceOnly?: boolean;
}

/** Bugs of NetworkManager, from its commits and NEWS. The comment in each entry names the commits that fix the bug. */
export const networkManagerBugs: readonly KnownBug[] = [
  {
    // Fixed by commits 4f60fe293c "ovs: wait that links disappear during initial cleanup" and 2641af2cc9 "ovs: don't
    // replace all other_config" of NetworkManager
    fixedIn: ['1.42'],
    what: 'loses other_config of bridges and races with Open vSwitch at its start',
  },
  {
    // Fixed by commit 3162507d6c "checkpoint: Fix segfault crash when rollback" of NetworkManager (RHEL-1526)
    fixedIn: ['1.46'],
    what: 'can crash when it rolls back to a checkpoint',
  },
  {
    // Fixed by commit c979bfeb8b "checkpoint: preserve in-memory state of connections" of NetworkManager; NEWS of 1.48
    fixedIn: ['1.48'],
    what: 'can write profiles that exist only in memory to disk when it rolls back',
  },
  {
    // Fixed by commit a68d2fd780 "checkpoint: fix port reactivation when controller is deactivating" of NetworkManager
    // (RHEL-31972)
    fixedIn: ['1.50'],
    what: 'can leave Open vSwitch interfaces down after a rollback',
  },
  {
    // Introduced by commit f7d321c6d6 of NetworkManager, and fixed by commit dc9bf255ee "core: ovs: fix NULL pointer
    // dereference in ovsdb read timeout callback"
    since: '1.44',
    fixedIn: ['1.54'],
    what: 'can crash when ovsdb-server stops answering in the middle of a message',
  },
  {
    // Introduced by commit 476c89b6f2 of NetworkManager, and fixed by commit 93491d76ec "ovs: don't remove unrelated
    // external ports"
    since: '1.54',
    fixedIn: ['1.56'],
    what: 'removes ports that others (ovn-kubernetes) added, on every bridge, when one of its own interfaces goes',
  },
];

/** Bugs of Open vSwitch, from the NEWS of each branch. */
export const openVSwitchBugs: readonly KnownBug[] = [
  {
    fixedIn: ['2.17.6', '3.0.4', '3.1.1'],
    what: 'CVE-2023-1668: a packet with IP protocol 0 installs a flow that hits every protocol',
  },
  {
    fixedIn: ['2.17.9', '3.0.6', '3.1.4', '3.2.2', '3.3.0'],
    what: 'CVE-2023-3966, CVE-2023-5366: crafted Geneve or neighbour discovery packets crash it or pass filters',
  },
  {
    fixedIn: ['3.3.9', '3.4.6', '3.5.4', '3.6.3', '3.7.1'],
    what: 'CVE-2026-34956: a buffer overflow in connection tracking of FTP',
    userspaceOnly: true,
  },
];

/** Returns the bugs of a version; empty if the version cannot be parsed. */
export function bugsOf(version: string, bugs: readonly KnownBug[]): readonly KnownBug[] {
  const own = numbersOf(version);
  if (own === null) return [];
  return bugs.filter(({ since, fixedIn }) => {
    if (since !== undefined && older(own, numbersOf(since) ?? [])) return false;
    const fixes = fixedIn.map((fix) => numbersOf(fix) ?? []);
    const ofBranch = fixes.find((fix) => fix[0] === own[0] && fix[1] === own[1]);
    // A branch without a listed fix has the bug if it is older than a branch with a listed fix.
    return ofBranch === undefined ? fixes.some((fix) => older(own, fix)) : older(own, ofBranch);
  });
}

/** Returns the version with the fix: that of the same branch, otherwise the newest one. */
export function fixFor(version: string, { fixedIn }: KnownBug): string {
  const branch = /^\d+\.\d+\./.exec(version)?.[0] ?? version;
  return fixedIn.find((fix) => fix.startsWith(branch)) ?? fixedIn.at(-1) ?? '';
}

/** Returns the numbers of a version, such as [1, 58, 1] of `1.58.1-2.fc44`; null if it does not begin with a number. */
function numbersOf(version: string): readonly number[] | null {
  const text = /^\d+(\.\d+)*/.exec(version)?.[0];
  return text === undefined ? null : text.split('.').map(Number);
}

function older(a: readonly number[], b: readonly number[]): boolean {
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const [left = 0, right = 0] = [a[index], b[index]];
    if (left !== right) return left < right;
  }
  return false;
}
