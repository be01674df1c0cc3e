import { missingFor, unpacked } from './unpacked-packages.ts';

const containerd = { name: 'containerd', packages: ['containerd', 'runc', 'containernetworking-plugins'] } as const;

/** Returns the reason why this machine cannot run a container runtime; null if it can. */
export function missingForContainerd(): string | null {
  return missingFor(containerd);
}

/** Returns the folder with usr/bin, usr/sbin and usr/lib/cni of Debian's containerd, runc and CNI plug-ins. */
export function unpackedContainerd(): string {
  return unpacked(containerd);
}
