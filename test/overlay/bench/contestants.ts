// Contestants of the benchmark: this program, the program in each folder of --beside, and a client that shows the limit
// that the API server sets (floor.ts).
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { builtBinaries } from '../../cluster/binaries.ts';
import { nodeNames, type Place } from './place.ts';
import { familyOf } from './process-usage.ts';

export interface Contestant {
  readonly name: string;
  /** Annotation in which the contestant writes the address of a pod. */
  readonly annotation: string;
  /** True if the contestant writes rows, as all do except floor.ts. */
  readonly hasRows: boolean;
  /** Folders of this machine and their paths on the node, as FOLDER=PATH. */
  readonly mounts: readonly string[];
  /** Creates the cluster in which the contestant finds its nodes. */
  prepare(place: Place): void;
  /** Starts the measured process, which has a CPU of its own. */
  start(place: Place): ChildProcess;
}

/** CPU of the measured process. */
const ownCpu = '1';
/** CPU of all other processes. */
export const otherCpu = '0';
const pinned = ['taskset', '-c', ownCpu] as const;
/** Path on a node of the folder with the contestants of --beside. */
const besidePlace = '/opt/beside';

/** Content of contestant.json, see docs/lab/overlay-benchmarks.md. */
interface Description {
  readonly name: string;
  readonly annotation: string;
  readonly prepare: string;
  readonly start: string;
}

/** Returns the contestants in the order of their turns. */
export function contestants(beside: string | undefined): readonly Contestant[] {
  const own = [
    ours('microshift-net', ['--jitless', '--optimize-for-size']),
    ours('microshift-net, --jitless alone', ['--jitless']),
    ours('microshift-net with JIT', []),
    floor,
  ];
  if (beside === undefined) return own;
  const folders = readdirSync(beside).filter((name) => existsSync(join(beside, name, 'contestant.json')));
  return [...own, ...folders.toSorted().map((name) => described(beside, name))];
}

/** Returns a contestant that starts the daemon as its unit does, or with other options of Node. */
function ours(name: string, options: readonly string[]): Contestant {
  const kubeconfig = '/var/lib/microshift/resources/kubeadmin/kubeconfig';
  return {
    name,
    annotation: 'ovn',
    hasRows: true,
    mounts: [],
    prepare: ({ host, server, address }) => {
      const done = host.agent('overlay', 'init');
      if (done.status !== 0) throw new Error(done.stderr);
      for (const node of nodeNames.slice(1)) {
        const issued = host.agent('overlay', 'pki', 'issue', node, '--system-id', `${node}-of-the-test`);
        if (issued.status !== 0) throw new Error(issued.stderr);
      }
      host.must('mkdir', '-p', '/var/lib/microshift/resources/kubeadmin');
      const url = `https://${address.host}:${address.port}`;
      host.write(kubeconfig, readFileSync(server.kubeconfig('ours', { server: url, caFile: '/opt/ca.crt' }), 'utf8'));
    },
    start: ({ host }) =>
      host.start(...pinned, process.execPath, ...options, '/opt/program/microshift-net', 'overlay', 'run'),
  };
}

const floor: Contestant = {
  name: 'floor: PATCH alone',
  annotation: 'ovn',
  hasRows: false,
  mounts: [],
  prepare: () => {},
  start: ({ address, server }) => {
    const words = [address.host, String(address.port), join(server.folder, 'ca.crt'), address.token];
    const [program, ...before] = pinned;
    return spawn(program, [...before, process.execPath, join(import.meta.dirname, 'floor.js'), ...words]);
  },
};

function described(beside: string, folder: string): Contestant {
  const file = join(beside, folder, 'contestant.json');
  const { name, annotation, prepare, start } = JSON.parse(readFileSync(file, 'utf8')) as Description;
  const environment = ({ address, server, host }: Place): readonly string[] => {
    const url = `https://${address.host}:${address.port}`;
    const kubeconfig = server.kubeconfig('beside', { server: url, caFile: '/opt/ca.crt' });
    host.write('/opt/kubeconfig', readFileSync(kubeconfig, 'utf8'));
    const variables = {
      BESIDE: join(besidePlace, folder),
      KUBECONFIG: '/opt/kubeconfig',
      KUBECTL: builtBinaries().kubectl,
      API: url,
      TOKEN: address.token,
      CA: '/opt/ca.crt',
      NODES: nodeNames.join(' '),
    };
    return ['env', ...Object.entries(variables).map(([key, value]) => `${key}=${value}`)];
  };
  return {
    name,
    annotation,
    hasRows: true,
    mounts: [`${resolve(beside)}=${besidePlace}`],
    prepare: (place) => void place.host.must(...environment(place), 'sh', '-euc', prepare),
    start: (place) => place.host.start(...pinned, ...environment(place), 'sh', '-euc', start),
  };
}

/** Running contestant, whose output is in a file. */
export interface Running {
  readonly pid: number;
  readonly log: string;
  kill(): Promise<void>;
}

export function run(contestant: Contestant, place: Place, log: string): Running {
  const child = contestant.start(place);
  if (child.pid === undefined) throw new Error(`${contestant.name} cannot be started`);
  const write = (chunk: Buffer): void => writeFileSync(log, chunk, { flag: 'a' });
  child.stdout?.on('data', write);
  child.stderr?.on('data', write);
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const { pid } = child;
  return {
    pid,
    log,
    kill: async () => {
      // The children of nsenter are killed, and not nsenter itself, which exits after its child and reaps it. A child
      // that is not reaped would count as running.
      const [own, ...started] = familyOf(pid);
      for (const one of started.length > 0 ? started.toReversed() : [own]) killed(one);
      await gone;
    },
  };
}

function killed(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {
    // The failure is ignored: the process has exited by itself.
  }
}
