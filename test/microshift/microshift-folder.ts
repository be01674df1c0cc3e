// Files of a real MicroShift for tests, if an environment variable names a folder with them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { missingForContainerd } from '../cluster/unpacked-containerd.ts';
import { nodeSkip } from '../node/availability.ts';

/**
 * Folder with the files of the packages `microshift` and `microshift-networking`, below their paths; null if the
 * variable is not set.
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

/** Reason why the files of a real MicroShift cannot be read, for tap's `skip`; false if they can be read. */
export const microshiftFilesSkip: string | false =
  microshiftFolder === null
    ? 'MICROSHIFT_NET_MICROSHIFT names no folder with a real MicroShift (docs/internals/test-node.md)'
    : missingIn(microshiftFolder);

/** Reason why no node with a real MicroShift can run on this machine, for tap's `skip`; false if it can run. */
export const microshiftSkip: string | false = nodeSkip || microshiftFilesSkip || (missingForContainerd() ?? false);

function missingIn(folder: string): string | false {
  const missing = needed.find((file) => !existsSync(join(folder, file)));
  return missing === undefined ? false : `${folder} has no ${missing}`;
}
