import { readdirSync } from 'node:fs';
import { type CniVersion, cniVersions } from '../../../cni/cni-version.ts';
import { readSmallFile, removeFile, writeFileAtomically } from '../../../drivers/host/files/files.ts';

/** Name of the network, for which MicroShift's CRI-O waits (its crio.conf.d/11-microshift-ovn.conf). */
const networkName = 'ovn-kubernetes';
/** Name of the conflist. Container runtimes take the first file by name. */
const file = '10-microshift-net.conflist';

/**
 * CNI version for runtimes that do not read `cniVersions`, such as containerd 1.6; all of them support it. Other
 * runtimes take the highest common version of the list.
 */
const withoutList: CniVersion = '0.4.0';

const wanted = `${JSON.stringify(
  {
    cniVersion: withoutList,
    cniVersions,
    name: networkName,
    plugins: [{ type: 'microshift-net-cni' }],
  },
  null,
  2,
)}\n`;

/**
 * Writes the conflist, after which the kubelet starts pods. Never changes files of other programs, and reports one that
 * runtimes would take first.
 */
export function writeConflist(directory: string, say: (line: string) => void): void {
  const path = `${directory}/${file}`;
  if (readSmallFile(path) === wanted) return;
  writeFileAtomically(path, wanted);
  say(`wrote ${path}: pods can start on this node`);
  const others = readdirSync(directory).filter((name) => /\.(conflist|conf|json)$/.test(name) && name !== file);
  const before = others.filter((name) => name < file);
  if (before.length > 0)
    say(`warning: container runtimes take ${before.toSorted()[0]} of ${directory} before ${file}: remove it`);
}

/** Removes the conflist of a node that has no pod network any more. Returns true if there was one. */
export function removeConflist(directory: string): boolean {
  const path = `${directory}/${file}`;
  if (readSmallFile(path) === null) return false;
  removeFile(path);
  return true;
}
