import { readdirSync } from 'node:fs';
import { type CniVersion, cniVersions } from '../../../cni/cni-version.ts';
import { readSmallFile, removeFile, writeFileAtomically } from '../../../drivers/host/files/files.ts';

/**
 * Name of the network. MicroShift's CRI-O waits for a network with this name (its crio.conf.d/11-microshift-ovn.conf).
 */
const networkName = 'ovn-kubernetes';
/** File name of the conflist. Container runtimes use the first file in alphabetical order. */
const file = '10-microshift-net.conflist';

/**
 * CNI version for container runtimes that ignore `cniVersions`, such as containerd 1.6. Every such runtime supports
 * this version. Other runtimes use the highest version of `cniVersions` that they support.
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
 * Writes the conflist, after which the kubelet starts pods. Does not change files of other programs. After a write,
 * reports a file that container runtimes would use instead of this one.
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

/** Removes the conflist of a node that no longer has a pod network. Returns true if the file existed. */
export function removeConflist(directory: string): boolean {
  const path = `${directory}/${file}`;
  if (readSmallFile(path) === null) return false;
  removeFile(path);
  return true;
}
