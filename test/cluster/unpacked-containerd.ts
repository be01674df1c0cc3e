import { missingFor, unpacked } from './unpacked-packages.ts';

const containerd = { name: 'containerd', packages: ['containerd', 'runc', 'containernetworking-plugins'] } as const;

/** Reason why this machine cannot run a container runtime; null if it can. */
export function missingForContainerd(): string | null {
  return missingFor(containerd);
}

/** Debian's containerd, runc and CNI plugins, unpacked but not installed: usr/bin, usr/sbin, usr/lib/cni. */
export function unpackedContainerd(): string {
  return unpacked(containerd);
}
