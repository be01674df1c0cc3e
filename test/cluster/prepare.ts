/**
 * Provides the requirements of this folder's tests before the tests run, because that takes longer than the time limit
 * of a test: programs of Kubernetes, and files of OVN and containerd. The results stay in the cache. Names each
 * requirement that this machine cannot provide; the tests that need it are then skipped. Fails if another requirement
 * could not be provided. Run: node build/test/cluster/prepare.js
 */
import { buildBinaries, isBuilt, missingPrograms } from './binaries.ts';
import { fetchGo } from './go.ts';
import { missingForContainerd, unpackedContainerd } from './unpacked-containerd.ts';
import { missingForOvn, unpackedOvn } from './unpacked-ovn.ts';

function note(text: string): void {
  process.stderr.write(`# ${text}\n`);
}

/**
 * Runs a step if this machine has everything for it; otherwise prints what is missing. Prints the error of a step that
 * fails, and then this program exits with 1.
 */
function make(what: string, findMissing: () => string | null, step: () => void): void {
  try {
    const missing = findMissing();
    if (missing === null) step();
    else note(`without ${what}: ${missing}`);
  } catch (error) {
    note(`${what} could not be made: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}

make(
  'an API server',
  () => missingPrograms() ?? (isBuilt() ? null : fetchGo()),
  () => {
    if (isBuilt()) return;
    note('building Kubernetes, once: about 9 minutes on two cores');
    const start = performance.now();
    buildBinaries();
    note(`Kubernetes is built, after ${Math.round((performance.now() - start) / 1000)} s`);
  },
);
make('OVN', missingForOvn, unpackedOvn);
make('containerd', missingForContainerd, unpackedContainerd);
