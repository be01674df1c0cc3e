import { join } from 'node:path';
import { AgentError, messageOf } from '../../errors.ts';
import { readRegularFile } from '../../regular-file.ts';

/** Size limit of MicroShift's list of images, which has one kilobyte. */
const limitBytes = 1024 * 1024;

/** Names that Red Hat uses for the architectures on which the agent runs. */
const architectures: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };

/**
 * Reads MicroShift's list of the container images that belong to its release. The text is null if the package
 * microshift-release-info is not installed.
 */
export function readReleaseFile(rootDirectory = '/'): { path: string; text: string | null } {
  const name = `release-${architectures[process.arch] ?? process.arch}.json`;
  const path = join(rootDirectory, 'usr/share/microshift/release', name);
  try {
    return { path, text: readRegularFile(path, limitBytes)?.toString() ?? null };
  } catch (error) {
    throw new AgentError('image-unknown', `${path} cannot be read: ${messageOf(error)}`, {
      hint: 'name the image with --image or with manifests.image in ovn.yaml',
      cause: error,
    });
  }
}
