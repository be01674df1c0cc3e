import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { withConfigYaml } from '../config-yaml.ts';

/** A MicroShift that leaves ovn-kubernetes to us. */
export const ourCluster = 'network:\n  cniPlugin: none\n';

/** The program as it ships, made by `npm run build`. */
export const programPath = join(import.meta.dirname, '../../../dist/microshift-net');

export interface ProgramRun {
  readonly code: number | null;
  /** The signal it died of; null: it ended by itself. */
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface ProgramOptions {
  /** MicroShift's configuration; null: that of this machine, as on one that has none. */
  readonly configYaml?: string | null;
  readonly kubeconfig?: string;
  /** Where the Node is that shall run it, instead of the first in PATH. */
  readonly nodeFolder?: string;
  /** Told everything of standard error so far, with a way to signal the program. */
  readonly onStderr?: (text: string, send: (signal: NodeJS.Signals) => void) => void;
}

/** Warning that V8 of Node 20, and of no later version, prints in a process without a JIT. */
const withoutJit = /^Warning: disabling flag --expose_wasm due to conflicting flags\n/;

/** Runs the shipped program in an environment that names no kubeconfig but the one given. */
export function runProgram(words: readonly string[], options: ProgramOptions = {}): Promise<ProgramRun> {
  const { KUBECONFIG: _, PATH = '', ...environment } = process.env;
  const path = options.nodeFolder === undefined ? PATH : `${options.nodeFolder}:${PATH}`;
  const kubeconfig = options.kubeconfig === undefined ? {} : { KUBECONFIG: options.kubeconfig };
  const env = { ...environment, ...kubeconfig, PATH: path };
  const plainly = [programPath, ...words];
  const { configYaml = ourCluster } = options;
  const [program = '', ...rest] = configYaml === null ? plainly : withConfigYaml(configYaml, plainly);
  const child = spawn(program, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    texts.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.stderr += text;
    options.onStderr?.(texts.stderr, (signal) => child.kill(signal));
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code, signal) => {
      resolve({ code, signal, stdout: texts.stdout, stderr: texts.stderr.replace(withoutJit, '') });
    });
  });
}
