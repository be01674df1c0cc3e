import { lstatSync, readdirSync, statSync } from 'node:fs';
import { AgentError } from '../errors.ts';
import { RegularFileError, readRegularFile } from '../regular-file.ts';

/** Paths of the configuration on a node. */
export const configPaths = {
  ovnYaml: '/etc/microshift/ovn.yaml',
  configYaml: '/etc/microshift/config.yaml',
  configD: '/etc/microshift/config.d',
} as const;

/** Content of a file; null if the file does not exist. */
export type FileContent = Uint8Array | string | null;

export interface ConfigFiles {
  readonly ovnYaml: FileContent;
  /** Path of ovn.yaml for messages and for the sources of values. Absent if it is the default path. */
  readonly ovnYamlPath?: string;
  readonly configYaml: FileContent;
  /** Drop-in files; `name` is the path below config.d. */
  readonly configD: readonly { readonly name: string; readonly bytes: Uint8Array | string }[];
  /** Errors of MicroShift's own files that cannot be read. Absent if all are readable. */
  readonly unreadable?: readonly AgentError[];
}

/** Size limit of a configuration file, in bytes; a real one has less than a hundredth of it. */
export const maxConfigBytes = 1024 * 1024;

/**
 * Reads the configuration files below a root directory; null for a missing file. An existing ovn.yaml that is
 * unreadable or not a regular file is an error. A file of MicroShift that is unreadable or not a regular file is left
 * out, and the result contains the error. `ovnYamlPath` names another ovn.yaml, which then has to exist.
 */
export function readConfigFiles(rootDirectory = '/', ovnYamlPath?: string): ConfigFiles {
  const ovnYaml = readConfigFile(ovnYamlPath ?? below(rootDirectory, configPaths.ovnYaml));
  if (ovnYaml === null && ovnYamlPath !== undefined)
    throw unreadable(ovnYamlPath, 'the file does not exist', 'check the path');
  const problems: AgentError[] = [];
  const readable = (path: string): Uint8Array | null => {
    try {
      return readConfigFile(path);
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      problems.push(error);
      return null;
    }
  };
  const configYaml = readable(below(rootDirectory, configPaths.configYaml));
  const directory = below(rootDirectory, configPaths.configD);
  const configD = dropInNames(directory, problems).flatMap((name) => {
    const bytes = readable(`${directory}/${name}`);
    return bytes === null ? [] : [{ name, bytes }];
  });
  return {
    ovnYaml,
    ...(ovnYamlPath !== undefined && { ovnYamlPath }),
    configYaml,
    configD,
    ...(problems.length > 0 && { unreadable: problems }),
  };
}

function below(rootDirectory: string, path: string): string {
  return rootDirectory === '/' ? path : rootDirectory + path;
}

/**
 * Returns the paths of the drop-in files below a directory, also of those in its subdirectories, as MicroShift does
 * (pkg/config/files.go, collectUserProvidedConfigs). Links to directories count as files. Adds an error to `problems`
 * for each directory that cannot be read.
 */
function dropInNames(directory: string, problems: AgentError[]): readonly string[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
      const inside = entry.isDirectory() ? dropInNames(`${directory}/${entry.name}`, problems) : null;
      if (inside !== null) return inside.map((name) => `${entry.name}/${name}`);
      return entry.name.endsWith('.yaml') ? [entry.name] : [];
    });
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') problems.push(unreadableBecause(directory, error));
    return [];
  }
}

function readConfigFile(path: string): Uint8Array | null {
  refuseDangling(path);
  try {
    return readRegularFile(path, maxConfigBytes);
  } catch (error) {
    if (error instanceof RegularFileError) throw notRead(path, error);
    throw unreadableBecause(path, error);
  }
}

function notRead(path: string, error: RegularFileError): AgentError {
  if (error.fault === 'too-long') return tooLarge(path);
  if (error.fault === 'irregular')
    return unreadable(path, error.message, 'name a regular file, or replace it by a regular file', error);
  return unreadableBecause(path, error.cause);
}

/** Returns the error for a configuration file that is larger than any real one. */
export function tooLarge(path: string): AgentError {
  return new AgentError('config-invalid', `${path}: is larger than ${maxConfigBytes} bytes`, {
    hint: 'check that this is the right file; a configuration file is a few lines long',
    facts: { file: path, maxBytes: maxConfigBytes },
  });
}

/**
 * Rejects a dangling link, which does not count as an absent file: the administrator who made the link does not expect
 * the defaults.
 */
function refuseDangling(path: string): void {
  try {
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  } catch (error) {
    throw unreadableBecause(path, error);
  }
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  const hint = 'create the file it points to, or remove the link';
  throw unreadable(path, 'is a symbolic link to a file that does not exist', hint);
}

function unreadableBecause(path: string, error: unknown): AgentError {
  if (error instanceof AgentError) return error;
  const code = errorCode(error);
  const denied = code === 'EACCES' || code === 'EPERM';
  const why = denied ? 'permission denied' : `cannot be read (${code ?? String(error)})`;
  return unreadable(path, why, denied ? 'run as root, or check the permissions of the path' : 'check the path', error);
}

function unreadable(path: string, why: string, hint: string, cause?: unknown): AgentError {
  return new AgentError('config-unreadable', `${path}: ${why}`, { hint, cause, facts: { file: path } });
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
