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
import { AgentError, messageOf } from '../../errors.ts';

/** Pattern of the file names that `manifests render` gives to objects. */
const objectName = /^\d\d-[a-z]+-[a-z0-9-]+\.yaml$/;
/** Pattern of the complete text of a rendered kustomization, which lists only files with names of rendered objects. */
const kustomizationText =
  /^apiVersion: kustomize\.config\.k8s\.io\/v1beta1\nkind: Kustomization\nresources:\n(?: {2}- \d\d-[a-z]+-[a-z0-9-]+\.yaml\n)+$/;

/**
 * Writes these rendered files into a directory, and removes other rendered files of an earlier run, which MicroShift
 * would still apply. Files of other programs stay. The agent recognizes its own files: the file of an object contains
 * the text `mark`, and a kustomization lists only such files. Files with equal contents are not written. If a rendered
 * file would replace a file of another program, fails with `state-unwritable` before any file is written.
 */
export function writeManifestFiles(directory: string, files: Readonly<Record<string, string>>, mark: string): void {
  try {
    makeDirectory(directory);
    const present = readdirSync(directory);
    const own = present.filter((name) => isRendered(directory, name, mark));
    for (const name of present.filter((entry) => entry in files)) {
      if (!own.includes(name)) throw new Error(`${name} there belongs to another program`);
    }
    for (const [name, text] of Object.entries(files)) writeIfChanged(join(directory, name), text);
    for (const name of own) if (!(name in files)) rmSync(join(directory, name));
  } catch (error) {
    throw new AgentError('state-unwritable', `the manifests cannot be written to ${directory}: ${messageOf(error)}`, {
      hint: 'choose another directory with -o, or make this one writable',
      cause: error,
    });
  }
}

function isRendered(directory: string, name: string, mark: string): boolean {
  const path = join(directory, name);
  if (objectName.test(name)) return readFileSync(path, 'utf8').includes(mark);
  if (name !== 'kustomization.yaml') return false;
  const text = readFileSync(path, 'utf8');
  const listed = [...text.matchAll(/^ {2}- (.+)$/gm)].map(([, entry = '']) => entry);
  return (
    kustomizationText.test(text) &&
    listed.every((entry) => !existsSync(join(directory, entry)) || isRendered(directory, entry, mark))
  );
}

/**
 * Makes a directory and its parents. mkdir with the option `recursive` is not used: in Node 20, it never returns below
 * a directory that accepts no entries, such as /proc.
 */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path);
}

function writeIfChanged(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  const temporary = `${path}.${process.pid}.new`;
  // A file at the path of the temporary file is removed first: it was left by a run that crashed, or is a link that
  // another user has created so that its target is overwritten.
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
