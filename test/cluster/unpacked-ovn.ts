import { hasProgram } from './binaries.ts';
import { missingFor, unpacked } from './unpacked-packages.ts';

const ovn = { name: 'ovn', packages: ['ovn-common', 'ovn-central', 'ovn-host'] } as const;

/** Reason why the containers' scripts cannot run here with a real OVN; null if they can. */
export function missingForOvn(): string | null {
  if (process.getuid?.() !== 0) return 'namespaces and mounts need root';
  const absent = ['unshare', 'ovsdb-server'].find((name) => !hasProgram(name, '--version'));
  return absent === undefined ? missingFor(ovn) : `${absent} is missing`;
}

/** Debian's OVN, unpacked but not installed. */
export function unpackedOvn(): string {
  return unpacked(ovn);
}
