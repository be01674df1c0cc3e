import { readdirSync } from 'node:fs';
import { type CniVersion, cniVersions } from '../../../cni/version.ts';
import { readSmallFile, removeFile, writeFileAtomically } from '../../../drivers/host/files.ts';

/** CRI-O of MicroShift waits for a network of this name (its crio.conf.d/11-microshift-ovn.conf). */
const networkName = 'ovn-kubernetes';
/** As it is in the directory; runtimes take the first by name. */
const file = '10-microshift-net.conflist';

/** For runtimes that know of no list of versions, as containerd 1.6: every one of them has this. Others take the highest of the list that they know. */
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

/** Tells container runtimes of the network: from now on the kubelet takes pods. Those of others are left alone, and told where they come first. */
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

/** Takes it away, as this node has no network for pods any more. True where there was one. */
export function removeConflist(directory: string): boolean {
  const path = `${directory}/${file}`;
  if (readSmallFile(path) === null) return false;
  removeFile(path);
  return true;
}
