import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Table of errors: every failure that a user can see has a kind, which determines the exit code and whether another try
 * makes sense. docs/use/troubleshooting.md has one heading per kind; a test compares the two.
 */

/** Exit codes of every command (docs/use/commands.md). */
export const exitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  drift: 3,
  notRestored: 4,
  dependency: 5,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

interface ErrorTrait {
  readonly exitCode: ExitCode;
  readonly retryable: boolean;
}

const usage: ErrorTrait = { exitCode: exitCode.usage, retryable: false };
const failed: ErrorTrait = { exitCode: exitCode.failed, retryable: true };
const dependency: ErrorTrait = { exitCode: exitCode.dependency, retryable: true };

export const errorTable = {
  'bad-usage': usage,
  'not-root': usage,
  'config-unreadable': usage,
  'config-syntax': usage,
  'config-invalid': usage,
  'interface-not-found': usage,
  'interface-unsuitable': usage,
  'transaction-not-found': usage,
  'nothing-to-confirm': usage,
  'no-uplink': failed,
  busy: failed,
  'bridge-foreign': failed,
  'bridge-unmanaged': usage,
  'activation-failed': failed,
  'activation-timeout': failed,
  'proof-failed': failed,
  'step-failed': failed,
  interrupted: failed,
  'deadline-exceeded': failed,
  'journal-unusable': failed,
  'state-unwritable': failed,
  'not-restored': { exitCode: exitCode.notRestored, retryable: false },
  drift: { exitCode: exitCode.drift, retryable: false },
  'check-failed': { exitCode: exitCode.drift, retryable: false },
  'dbus-unreachable': dependency,
  'dbus-lost': dependency,
  'dbus-timeout': dependency,
  'networkmanager-not-running': dependency,
  'networkmanager-refused': failed,
  'ovs-plugin-missing': dependency,
  'ovsdb-unreachable': dependency,
  'ovsdb-lost': dependency,
  'ovsdb-timeout': dependency,
  'ovsdb-refused': failed,
  'vswitchd-not-responding': dependency,
  'systemd-refused': failed,
  'firewalld-refused': failed,
  'command-missing': dependency,
  'kernel-datapath-missing': dependency,
  'tun-missing': dependency,
  'manifests-foreign': usage,
  'overlay-foreign': usage,
  'overlay-conflict': usage,
  'image-unknown': usage,
  'kubeconfig-unusable': usage,
  'kubeconfig-missing': dependency,
  'cluster-unreachable': dependency,
  'cluster-not-ready': dependency,
  'cluster-untrusted': { exitCode: exitCode.dependency, retryable: false },
  'cluster-refused': { exitCode: exitCode.failed, retryable: false },
  'apply-conflict': { exitCode: exitCode.failed, retryable: false },
  'rollout-timeout': failed,
  'container-refused': failed,
  'delete-timeout': failed,
  'overlay-absent': usage,
  'record-unusable': usage,
  'bundle-unusable': usage,
  'certificates-refused': usage,
  'ovn-not-running': dependency,
  'memory-exceeded': failed,
  internal: failed,
} as const satisfies Record<string, ErrorTrait>;

export type ErrorKind = keyof typeof errorTable;

/** Details for the JSON form of an error and for `--verbose`; never secrets. */
export type ErrorFacts = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

export interface ErrorDetails {
  /** Instruction for the user, as an imperative sentence without a full stop. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  readonly facts?: ErrorFacts;
  readonly before?: readonly AgentError[] | undefined;
  readonly after?: readonly AgentError[] | undefined;
}

/** A failure with a kind, a sentence with the fact and its reason, and a hint with an instruction. */
export class AgentError extends Error {
  readonly kind: ErrorKind;
  readonly hint: string | undefined;
  readonly facts: ErrorFacts;
  /**
   * Earlier failures of the same run, the earliest first; for a failed rollback, the failure that caused the rollback.
   */
  readonly before: readonly AgentError[];
  /** Later failures of the same run, the earliest first. */
  readonly after: readonly AgentError[];

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'AgentError';
    this.kind = kind;
    this.hint = details.hint;
    this.facts = details.facts ?? {};
    this.before = details.before ?? [];
    this.after = details.after ?? [];
  }
}

/** Returns the same failure with additional facts. */
export function withFacts(error: AgentError, facts: ErrorFacts): AgentError {
  return withDetails(error, { facts: { ...error.facts, ...facts } });
}

/** Returns the same failure with other details or another message. Its kind and its stack stay. */
export function withDetails(
  error: AgentError,
  { message = error.message, ...details }: ErrorDetails & { readonly message?: string },
): AgentError {
  const { kind, hint, cause, facts, before, after, stack } = error;
  const copy = new AgentError(kind, message, { hint, cause, facts, before, after, ...details });
  return Object.assign(copy, { stack });
}

/**
 * Returns true for an AgentError, including one of another copy of this module. The program consists of several files
 * (rpm/bundle.mjs), and each of them contains a copy.
 */
export function isAgentError(error: unknown): error is AgentError {
  return (
    error instanceof Error && error.name === 'AgentError' && 'kind' in error && (error.kind as string) in errorTable
  );
}

/** Sentences for errors of the system (errno(3)) about a file or a directory. */
const fileErrors: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'the operation is not permitted',
  EEXIST: 'it exists already',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  ELOOP: 'it is a symbolic link, or its links form a loop',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is exceeded',
  EROFS: 'the file system is read-only',
  EIO: 'the device reports an input or output error',
  EMFILE: 'this process has too many open files',
  ENAMETOOLONG: 'the name is too long',
};

/** Beginnings of sentences about errors of connect(2); the address follows them. */
const connectErrors: Readonly<Record<string, string>> = {
  ENOENT: 'no service listens at',
  ECONNREFUSED: 'no service accepts connections to',
  EACCES: 'this user may not connect to',
  ECONNRESET: 'the connection was reset by',
  EHOSTUNREACH: 'no route leads to the host',
  ENETUNREACH: 'no route leads to the network of',
  ETIMEDOUT: 'no answer came from',
};

/**
 * Returns the message of a thrown value. For an error of a system call with a known code, this is a sentence that ends
 * with the code.
 */
export function messageOf(error: unknown): string {
  return error instanceof Error ? (systemErrorText(error) ?? error.message) : String(error);
}

/**
 * Returns a sentence for an error of a system call. Returns null for any other error, for an error whose code is not
 * known, and for a failed start of a process (`spawn`).
 */
function systemErrorText(error: NodeJS.ErrnoException & { address?: string; port?: number }): string | null {
  const { code = '', syscall } = error;
  if (typeof syscall !== 'string' || syscall.startsWith('spawn')) return null;
  if (syscall !== 'connect') {
    const text = code === 'ENOENT' ? missingText(error) : fileErrors[code];
    return text === undefined ? null : `${text} (${code})`;
  }
  if (connectErrors[code] === undefined || error.address === undefined) return null;
  const place = error.port === undefined ? error.address : `${error.address} port ${error.port}`;
  return `${connectErrors[code]} ${place} (${code})`;
}

/** System calls on directories: the `path` in their errors is that of a directory. */
const directoryCalls: readonly (string | undefined)[] = ['scandir', 'opendir', 'rmdir', 'chdir', 'watch'];

/**
 * Returns a sentence about the part of a path that does not exist: the parent directory, or the file or directory
 * itself.
 */
function missingText({ path, syscall }: NodeJS.ErrnoException): string {
  if (path === undefined) return 'a file or directory does not exist';
  const directory = dirname(path);
  if (!existsSync(directory)) return `the directory ${directory} does not exist`;
  if (syscall === 'mkdir') return 'no directory can be made there';
  return directoryCalls.includes(syscall) ? 'the directory does not exist' : 'the file does not exist';
}

/**
 * Returns a thrown value as an AgentError. A value of another type is a defect of the agent: it is wrapped into an
 * AgentError of the kind `internal`.
 */
export function asAgentError(error: unknown): AgentError {
  if (isAgentError(error)) return error;
  return new AgentError('internal', `unexpected failure: ${error instanceof Error ? error.message : String(error)}`, {
    hint: 'this is a defect of microshift-net; report it with the output of the same command run with --verbose',
    cause: error,
  });
}
