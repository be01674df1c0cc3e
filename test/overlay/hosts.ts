// Nodes as network namespaces on one LAN, each with its own Open vSwitch in the userspace data path and OVN, and the
// bundled program.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProgram } from '../cluster/binaries.ts';
import { mortal } from '../cluster/mortal.ts';
import { missingForOvn } from '../cluster/unpacked-ovn.ts';
import { keeper, keptCode, prepareKeptCode } from '../kept-code.ts';
import { childrenIn, type Scope } from './children.ts';
import { askedOvn, base, ovnOfNodes, type WhichOvn, withItsLibraries } from './ovn-of-nodes.ts';

/** Time limit of each command and wait on a node, far beyond the need of a busy machine. */
const limitMs = 120_000;
/** Path of the bundled program on a node. */
export const program = '/opt/program/microshift-net';

/** Node without V8's optimizing compiler, which only costs CPU time in a run that ends at once. */
export const asCommand = [process.execPath, '--no-opt'];

/** Folder on a node for the code that V8 has compiled of the program, and folder of the module that keeps it. */
const keptOnNode = '/opt/compiled';
const keeperOnNode = '/opt/loader';
/** Variable with which Node keeps the compiled code of the program. */
export const onlyKeepsCode = `NODE_OPTIONS=--require=${keeperOnNode}/${keeper.name}`;
/**
 * The same variable with an option that saves CPU time and needs more memory, for programs whose memory no test
 * measures. Every connection with TLS names its authority, but Node.js 20 parses its 140 built-in authorities at the
 * first connection, for 30 ms. With the authorities of OpenSSL in their place it parses none, because a node has no
 * file of them.
 */
export const keepsCode = `${onlyKeepsCode} --use-openssl-ca`;

/** Returns the reason why such nodes cannot run here; null if they can. */
export function missingForHosts(): string | null {
  const ovn = missingForOvn();
  if (ovn !== null) return ovn;
  const programs = ['nsenter', 'ovs-vsctl', 'ovs-vswitchd', 'setpriv', 'perl', 'pidwait'];
  const absent = programs.find((name) => !hasProgram(name, '--version'));
  if (absent !== undefined) return `${absent} is missing`;
  const probe = spawnSync('unshare', [
    '-n',
    'sh',
    '-c',
    'ip link add probe0 type veth peer name probe1 && ip link add probe2 type bridge && test -c /dev/net/tun',
  ]);
  return probe.status === 0 ? null : 'network namespaces with veth, bridge and tun are missing';
}

/** Exit code and output of a program. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Host {
  readonly name: string;
  readonly address: string;
  /** First process of the node; the others end with it. */
  readonly pid: number;
  /** Settles when the first process has ended, which happens after the end of all others. */
  readonly gone: Promise<unknown>;
  /** Runs a program on the node. */
  run(words: readonly string[], input?: string): Ended;
  /** Runs a program that has to succeed, and returns its output. */
  must(...words: readonly string[]): string;
  /** Runs the tested program. */
  agent(...words: readonly string[]): Ended;
  agentWith(input: string, ...words: readonly string[]): Ended;
  /** Starts a process that ends with the test. */
  start(...words: readonly string[]): ChildProcess;
  write(file: string, text: string): void;
  /** Returns the path on this machine of a file of the node. */
  path(file: string): string;
}

export interface Lan {
  /**
   * Creates a node. Its eth0 is in br-ex, and br-ex has the node's address and default route. `others` are unused NICs;
   * eth1 is on another LAN. `mounts` are folders of this machine and their paths on the node, as FOLDER=PATH.
   */
  host(name: string, place: number, others?: readonly string[], mounts?: readonly string[]): Promise<Host>;
  /** Adds another NIC to a node. */
  plug(host: Host, nic: string): void;
  /** Adds an address on the LAN of eth0 to the namespace of this process, which must not be the machine's. */
  attend(address: string): void;
}

/** Creates an empty LAN, 192.0.2.0/24. All of its nodes end with the test. */
export async function startLan(t: Scope, which: WhichOvn = askedOvn ?? 'own'): Promise<Lan> {
  const folder = mkdtempSync(join(tmpdir(), 'overlay-lan-'));
  const ovn = ovnOfNodes(which, join(folder, 'newer-ovn'));
  prepareKeptCode();
  const children = childrenIn(folder, t);
  const stay = async (
    ...words: readonly string[]
  ): Promise<{ readonly pid: number; readonly gone: Promise<unknown> }> => {
    const [first, ...rest] = mortal(words);
    const child = spawn(first, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const gone = once(child, 'exit');
    const line = await Promise.race([once(child.stdout, 'data'), gone]).then(([said]) => String(said));
    if (!line.startsWith('ready') || child.pid === undefined) throw new Error(`${words[0]}: ${line}`);
    return { pid: child.pid, gone };
  };
  const { pid: lan } = await stay(
    'unshare',
    '-n',
    'sh',
    '-c',
    'for nic in eth0 eth1; do ip link add "lan-$nic" type bridge && ip link set "lan-$nic" up; done && echo ready && exec sleep infinity',
  );
  return {
    plug: (host, nic) => plug(host, nic, lan),
    attend: (address) => {
      const own = 'attending';
      execFileSync('ip', ['link', 'add', own, 'type', 'veth', 'peer', 'name', own, 'netns', String(lan)]);
      execFileSync('nsenter', ['-t', String(lan), '-n', 'ip', 'link', 'set', own, 'master', 'lan-eth0', 'up']);
      execFileSync('ip', ['address', 'add', `${address}/24`, 'dev', own]);
      // The kernel has to compute checksums itself, because the userspace data path needs complete ones.
      execFileSync('ethtool', ['-K', own, 'tx', 'off'], { stdio: 'ignore' });
      execFileSync('ip', ['link', 'set', own, 'up']);
    },
    host: async (name, place, others = [], mounts = []) => {
      // The node has its own PID namespace, whose processes end with the first one.
      // unshare(1) prints an error about signals if its child is killed; guest.sh has the standard error of the test.
      const { pid: outer, gone } = await stay(
        'sh',
        '-c',
        'exec unshare -mnu --pid --fork --kill-child bash test/overlay/guest.sh "$@" 3>&2 2> /dev/null',
        'guest.sh',
        join(folder, name),
        ovn.folder,
        join(process.cwd(), 'dist'),
        ...new Set([`${keptCode}=${keptOnNode}`, `${keeper.folder}=${keeperOnNode}`, ...ovn.mounts, ...mounts]),
      );
      const pid = Number(readFileSync(`/proc/${outer}/task/${outer}/children`, 'utf8').trim());
      const host = hostOf(name, `192.0.2.${place}`, pid, gone, children);
      for (const nic of ['eth0', ...others]) plug(host, nic, lan);
      configure(host);
      return host;
    },
  };
}

function hostOf(name: string, address: string, pid: number, gone: Promise<unknown>, children: ChildProcess[]): Host {
  const inside = (words: readonly string[], options: readonly string[] = ['--unset=NODE_OPTIONS']): string[] => [
    '-t',
    String(pid),
    '-m',
    '-n',
    '-u',
    '-p',
    '-r',
    '-w',
    // tap makes every process that it sees load a file, which the node may not have.
    'env',
    ...options,
    ...words,
  ];
  const environment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', NO_COLOR: '1' };
  const run = (words: readonly string[], input = ''): Ended =>
    spawnSync('nsenter', inside(words, [keepsCode]), {
      encoding: 'utf8',
      input,
      env: environment,
      timeout: limitMs,
    });
  const must = (...words: readonly string[]): string => {
    const { status, stdout, stderr } = run(words);
    if (status !== 0) throw new Error(`${name}: ${words.join(' ')} ended with ${status}: ${stderr}`);
    return stdout;
  };
  return {
    name,
    address,
    pid,
    gone,
    run,
    must,
    agent: (...words) => run([...asCommand, program, ...words]),
    agentWith: (input, ...words) => run([...asCommand, program, ...words], input),
    start: (...words) => {
      const child = spawn('nsenter', inside(words), { stdio: 'pipe', env: environment });
      children.push(child);
      return child;
    },
    path: (file) => `/proc/${pid}/root${file}`,
    write: (file, text) => {
      execFileSync('nsenter', inside(['tee', file]), { input: text, stdio: ['pipe', 'ignore', 'inherit'] });
    },
  };
}

/** Creates a NIC, and connects it to the LAN of all NICs with the same name. */
function plug({ must, name, pid }: Host, nic: string, lan: number): void {
  const end = `${name}-${nic}`;
  execFileSync('ip', [
    'link',
    'add',
    nic,
    'netns',
    String(pid),
    'type',
    'veth',
    'peer',
    'name',
    end,
    'netns',
    String(lan),
  ]);
  execFileSync('nsenter', ['-t', String(lan), '-n', 'ip', 'link', 'set', end, 'master', `lan-${nic}`, 'up']);
  must('ip', 'link', 'set', nic, 'up');
}

/** Starts Open vSwitch, and creates br-ex with the NIC. */
function configure({ must, run, write, name, address }: Host): void {
  must('hostname', name);
  write('/etc/microshift/ovn.yaml', 'ovs:\n  datapathType: netdev\n');
  write('/etc/openvswitch/system-id.conf', `${name}-of-the-test\n`);
  must('ovsdb-tool', 'create', switchFile, '/usr/share/openvswitch/vswitch.ovsschema');
  startSwitchDatabase({ must });
  must('ovs-vsctl', '--no-wait', 'init');
  startVswitchd({ must, run });
  must(
    'ovs-vsctl',
    'add-br',
    'br-ex',
    '--',
    'set',
    'bridge',
    'br-ex',
    'datapath_type=netdev',
    '--',
    'add-port',
    'br-ex',
    'eth0',
  );
  must('ip', 'address', 'add', `${address}/24`, 'dev', 'br-ex');
  must('ip', 'link', 'set', 'br-ex', 'up');
  must('ip', 'route', 'add', 'default', 'via', '192.0.2.254');
}

const quiet = ['-vconsole:off', '-vsyslog:off', '--detach', '--no-chdir', '--pidfile', '--log-file'];

const switchFile = '/var/lib/openvswitch/conf.db';

/** Starts the database server of a node's Open vSwitch. */
export function startSwitchDatabase({ must }: Pick<Host, 'must'>): void {
  const keys = ['private_key', 'certificate', 'ca_cert'].map((column, index) => {
    return `--${['private-key', 'certificate', 'ca-cert'][index]}=db:Open_vSwitch,SSL,${column}`;
  });
  must('ovsdb-server', switchFile, '--remote=punix:/run/openvswitch/db.sock', ...keys, ...quiet);
}

/** Starts ovs-vswitchd: of the machine, or of the test node's base if the node was made with it (newerSwitch). */
export function startVswitchd({ must, run }: Pick<Host, 'must' | 'run'>): void {
  must(...ofSwitch({ run }, 'ovs-vswitchd', '/usr/lib/openvswitch-switch'), ...quiet);
}

/**
 * Returns the command of a daemon of Open vSwitch: that of the machine, or that of the test node's base in this folder
 * if the node was made with the base.
 */
function ofSwitch({ run }: Pick<Host, 'run'>, name: string, folder: string): readonly string[] {
  const isThere = run(['test', '-e', withItsLibraries[0]]).status === 0;
  return isThere ? [...withItsLibraries, `${base}${folder}/${name}`] : [name];
}

/**
 * Returns options of a node (Lan.host) with the Open vSwitch of the test node's base; none if no base is built. Under a
 * high load, Debian's 3.1 crashes by an assertion of its connection tracking in userspace.
 */
export function newerSwitch(): readonly string[] {
  const folder = execFileSync('bash', ['test/node/build-base.sh', '--path'], { encoding: 'utf8' }).trim();
  return existsSync(`${folder}/usr/lib/openvswitch-switch/ovs-vswitchd`) ? [`${folder}=${base}`] : [];
}

/**
 * Starts the programs of a central node as ovn-ctl(8) does: both databases, which listen at the addresses in their
 * tables, and ovn-northd. `root` is the root folder of another release of OVN; its /run is that of the node. A node
 * with the newer OVN also has its ovsdb-server, because this program accepts certificates and enforces rights.
 */
export function startCentral({ must, run }: Pick<Host, 'must' | 'run'>, root = ''): void {
  const server = ofSwitch({ run }, 'ovsdb-server', '/usr/sbin');
  for (const [short, name, table] of [
    ['nb', 'OVN_Northbound', 'NB_Global'],
    ['sb', 'OVN_Southbound', 'SB_Global'],
  ] as const) {
    const file = `/var/lib/ovn/ovn${short}_db.db`;
    // A killed database starts with its content before the kill.
    if (run(['test', '-e', file]).status !== 0)
      must('ovsdb-tool', 'create', file, `${root}/usr/share/ovn/ovn-${short}.ovsschema`);
    must(
      ...server,
      file,
      `--remote=punix:/run/ovn/ovn${short}_db.sock`,
      `--remote=db:${name},${table},connections`,
      `--private-key=db:${name},SSL,private_key`,
      `--certificate=db:${name},SSL,certificate`,
      `--ca-cert=db:${name},SSL,ca_cert`,
      `--unixctl=/run/ovn/ovn${short}_db.ctl`,
      `--pidfile=/run/ovn/ovn${short}_db.pid`,
      ...quiet.filter((word) => word !== '--pidfile'),
    );
    must(`ovn-${short}ctl`, '--no-leader-only', 'init');
  }
  startNorthd({ must }, root);
}

/** Starts only ovn-northd; `root` is the root folder of another release of OVN. */
export function startNorthd({ must }: Pick<Host, 'must'>, root = ''): void {
  const databases = ['--ovnnb-db=unix:/run/ovn/ovnnb_db.sock', '--ovnsb-db=unix:/run/ovn/ovnsb_db.sock'];
  must(...(root === '' ? [] : ['chroot', root]), 'ovn-northd', ...databases, ...quiet);
}

/**
 * Kills the process of a PID file, and waits until it has ended or is a zombie. Until then, its control socket still
 * accepts connections.
 */
export function killProcess({ must }: Pick<Host, 'must'>, pidFile: string): void {
  must('sh', '-c', 'kill -9 "$(cat "$1")"; pidwait -F "$1" || true', 'sh', pidFile);
}

/**
 * Starts ovn-controller, which runs on every node. As on a node with systemd (`Restart=on-failure`), it starts again
 * after a crash: Debian's OVN 23.03.1 can crash when the southbound database is lost and made again. `within` are the
 * words of a program that starts it.
 */
export function startController({ must }: Host, within: readonly string[] = []): void {
  must(...within, 'ovn-controller', 'unix:/run/openvswitch/db.sock', '--monitor', ...quiet);
}

/**
 * Restarts ovn-controller as `ovn-ctl restart_controller` does, and keeps its flows. The process answers `exit` before
 * it exits, and a second process does not start beside the first one's PID file, so this function waits until that file
 * is removed.
 */
export async function restartController(host: Host, within: readonly string[] = []): Promise<void> {
  const watcher = watch(host.path('/run/ovn'));
  host.must('ovn-appctl', '-t', 'ovn-controller', 'exit', '--restart');
  const signal = AbortSignal.timeout(limitMs);
  while (existsSync(host.path('/run/ovn/ovn-controller.pid'))) await once(watcher, 'change', { signal });
  watcher.close();
  startController(host, within);
}
