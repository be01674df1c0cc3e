// The real MicroShift that tests run, where there is one: its packages' files, below a folder that is named by the
// environment.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { missingForContainerd } from '../cluster/unpacked-containerd.ts';
import { nodeSkip } from '../node/availability.ts';

/**
 * The folder with the files of packages `microshift` and `microshift-networking`, at their places below it; null if
 * none is named.
 */
export const microshiftFolder: string | null = process.env.MICROSHIFT_NET_MICROSHIFT || null;

/** Files that the folder must have. */
const needed = [
  'usr/bin/microshift',
  'usr/bin/microshift-etcd',
  'usr/bin/configure-ovs.sh',
  'usr/bin/configure-ovs-microshift.sh',
  'usr/lib/systemd/system/microshift.service',
  'usr/lib/systemd/system/microshift-ovs-init.service',
] as const;

/** Why the files of a real MicroShift cannot be read, for tap's `skip`; false if they can. */
export const microshiftFilesSkip: string | false =
  microshiftFolder === null
    ? 'MICROSHIFT_NET_MICROSHIFT names no folder with a real MicroShift (docs/internals/test-node.md)'
    : missingIn(microshiftFolder);

/** Why no node with a real MicroShift can run here, for tap's `skip`; false if one can. */
export const microshiftSkip: string | false = nodeSkip || microshiftFilesSkip || (missingForContainerd() ?? false);

function missingIn(folder: string): string | false {
  const missing = needed.find((file) => !existsSync(join(folder, file)));
  return missing === undefined ? false : `${folder} has no ${missing}`;
}
