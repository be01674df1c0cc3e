// Decides which tests of this folder this machine can run.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { missingParts } from '../cluster/binaries.ts';
import { nodeSkip } from '../node/availability.ts';

/** Reason why no node with an API server can run here; false if one can. */
export const clusterSkip: string | false =
  nodeSkip || missingParts() || (existsSync('/dev/net/tun') ? false : 'this kernel has no tun devices');

/** Folder with the real ovnkube and its CNI plug-in; null if the environment names none. */
export const ovnkubeFolder: string | null = process.env.MICROSHIFT_NET_OVNKUBE || null;

/** Reason why tests that need the real ovnkube cannot run; false if they can. */
export const ovnkubeSkip: string | false =
  ovnkubeFolder === null
    ? 'MICROSHIFT_NET_OVNKUBE names no folder with a real ovnkube: without pods, services and its own restarts'
    : missingIn(ovnkubeFolder);

function missingIn(folder: string): string | false {
  const missing = ['ovnkube', 'ovn-k8s-cni-overlay'].find((name) => !existsSync(join(folder, name)));
  return missing === undefined ? false : `${folder} has no ${missing}`;
}
