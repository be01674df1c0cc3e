import { hasProgram } from './binaries.ts';
import { missingFor, unpacked } from './unpacked-packages.ts';

const ovn = { name: 'ovn', packages: ['ovn-common', 'ovn-central', 'ovn-host'] } as const;

/** Returns the reason why this machine cannot run the containers' scripts with a real OVN; null if it can. */
export function missingForOvn(): string | null {
  if (process.getuid?.() !== 0) return 'namespaces and mounts need root';
  const absent = ['unshare', 'ovsdb-server'].find((name) => !hasProgram(name, '--version'));
  return absent === undefined ? missingFor(ovn) : `${absent} is missing`;
}

/** Returns the folder with the files of Debian's OVN, which is unpacked but not installed. */
export function unpackedOvn(): string {
  return unpacked(ovn);
}
