// Folder with Kubernetes' own end-to-end tests, which an environment variable names. docs/lab/overlay-conformance.md
// describes its contents.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Environment variable that names the folder. */
const variable = 'MICROSHIFT_NET_E2E';
const needed = ['e2e.test', 'images.tar'] as const;
/** Path of the folder on a node. */
export const e2ePlace = '/opt/e2e';

/** Folder with the tests; null if the environment names none. */
export const e2eFolder: string | null = process.env[variable] ?? null;

/** Returns the reason why the tests cannot run here; null if they can. */
export function missingForConformance(): string | null {
  if (e2eFolder === null) return `${variable} names no folder with ${needed.join(' and ')}`;
  const absent = needed.find((name) => !existsSync(join(e2eFolder, name)));
  return absent === undefined ? null : `${variable}=${e2eFolder} has no ${absent}`;
}
