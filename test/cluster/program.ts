import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { withConfigYaml } from '../config-yaml.ts';

/** Configuration of a MicroShift that leaves ovn-kubernetes to the agent. */
export const ourCluster = 'network:\n  cniPlugin: none\n';

/** Path of the shipped program, which `npm run build` makes. */
export const programPath = join(import.meta.dirname, '../../../dist/microshift-net');

export interface ProgramRun {
  readonly code: number | null;
  /** Signal that ended the program; null if it exited. */
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface ProgramOptions {
  /** MicroShift's configuration; null for this machine's own file, which exists only if MicroShift is installed. */
  readonly configYaml?: string | null;
  readonly kubeconfig?: string;
  /** Folder of the Node.js that runs the program instead of the first one in PATH. */
  readonly nodeFolder?: string;
  /** Function that is called with all of standard error so far, and with a function that sends the program a signal. */
  readonly onStderr?: (text: string, send: (signal: NodeJS.Signals) => void) => void;
}

/** Warning of V8 in Node 20, and in no later version, in a process without a JIT. */
const withoutJit = /^Warning: disabling flag --expose_wasm due to conflicting flags\n/;

/** Runs the shipped program in an environment that names only the given kubeconfig. */
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
