import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { AgentError } from '../../errors.ts';

/** The names `render` gives; nothing else in the directory is touched. */
const renderedName = /^(\d\d-[a-z]+-[a-z0-9-]+\.yaml|kustomization\.yaml)$/;

/**
 * Makes a directory hold exactly these rendered files: MicroShift applies whatever a kustomization lists, so those of an
 * earlier flavour go. Files that are equal are not written.
 */
export function writeManifestFiles(directory: string, files: Readonly<Record<string, string>>): void {
  try {
    makeDirectory(directory);
    for (const [name, text] of Object.entries(files)) writeIfChanged(join(directory, name), text);
    for (const name of readdirSync(directory)) {
      if (renderedName.test(name) && !(name in files)) rmSync(join(directory, name));
    }
  } catch (error) {
    throw new AgentError(
      'state-unwritable',
      `the manifests cannot be written to ${directory}: ${(error as Error).message}`,
      {
        hint: 'choose another directory with -o, or make this one writable',
        cause: error,
      },
    );
  }
}

/** Not mkdir's own `recursive`: in Node 20 that never ends below a directory that takes none, such as /proc. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path);
}

function writeIfChanged(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  const temporary = `${path}.${process.pid}.new`;
  // What is there is of a run that died, or a link that somebody else has put there to have its target written.
  rmSync(temporary, { force: true });
  const descriptor = openSync(temporary, 'wx', 0o644);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
