// Tests of this folder that this machine can run.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { missingParts } from '../cluster/binaries.ts';
import { nodeSkip } from '../node/availability.ts';

/** Why no node with an API server can run here; false: it can. */
export const clusterSkip: string | false =
  nodeSkip || missingParts() || (existsSync('/dev/net/tun') ? false : 'this kernel has no tun devices');

/** The folder with the real ovnkube and its plug-in; null: none is named. */
export const ovnkubeFolder: string | null = process.env.MICROSHIFT_NET_OVNKUBE || null;

/** Why what only the real ovnkube does cannot run; false: it can. */
export const ovnkubeSkip: string | false =
  ovnkubeFolder === null
    ? 'MICROSHIFT_NET_OVNKUBE names no folder with a real ovnkube: without pods, services and its own restarts'
    : missingIn(ovnkubeFolder);

function missingIn(folder: string): string | false {
  const missing = ['ovnkube', 'ovn-k8s-cni-overlay'].find((name) => !existsSync(join(folder, name)));
  return missing === undefined ? false : `${folder} has no ${missing}`;
}
