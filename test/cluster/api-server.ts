import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { auditPolicy } from './audit.ts';
import { builtBinaries } from './binaries.ts';
import { makeAccountKeys, makeCertificates } from './certificates.ts';
import { type JsonAnswer, jsonCall } from './json-call.ts';
import { kubeconfigText } from './kubeconfig-text.ts';
import { mortal } from './mortal.ts';

/** A running kube-apiserver with its own etcd, certificates and data, all in one temporary folder. */
export interface ApiServer {
  readonly folder: string;
  readonly port: number;
  /** The administrator's bearer token. */
  readonly token: string;
  /**
   * The server's audit log of the requests of the pods' accounts, for audit.ts; the file exists after the first such
   * request.
   */
  readonly auditLog: string;
  readonly kubectl: (...words: readonly string[]) => string;
  /** Writes a kubeconfig with this name, and returns its path; `admin` is the administrator's kubeconfig. */
  readonly kubeconfig: (name: string, changes?: KubeconfigChanges) => string;
  /** Sends a request to the API as the administrator, with a JSON body and a JSON answer. */
  readonly call: (method: string, path: string, body?: unknown, contentType?: string) => Promise<JsonAnswer>;
  /** Sends a request in the same way as `call`, with the bearer token of another account. */
  readonly callAs: (token: string, ...words: Parameters<ApiServer['call']>) => Promise<JsonAnswer>;
  /** Kills the API server and starts it again; etcd continues. */
  readonly kill: () => Promise<void>;
  readonly start: () => void;
  readonly untilReady: () => Promise<void>;
  /** Stops etcd with a signal, so that the API server answers but is not ready. */
  readonly freezeStore: () => void;
  /** Lets etcd continue. */
  readonly thawStore: () => void;
  /** Removes all old versions of objects from etcd. */
  readonly compactStore: () => Promise<void>;
  /** Writes `count` versions into etcd, at a key that the API server does not read. */
  readonly writeVersions: (count: number) => Promise<void>;
  /** Lets etcd continue, starts the API server if it has ended, and waits until it is ready. */
  readonly restore: () => Promise<void>;
  /**
   * Ends etcd and the API server, and starts them with an empty etcd and the same certificates and tokens: a new
   * cluster, whose versions begin again.
   */
  readonly loseStore: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface KubeconfigChanges {
  readonly token?: string;
  readonly caFile?: string;
  readonly server?: string;
  /** Name in the TLS handshake; for `expiredName`, the server presents an expired certificate. */
  readonly serverName?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  /** Complete entry of the user in the kubeconfig, which replaces the entry with the token. */
  readonly user?: Readonly<Record<string, unknown>>;
}

const readyLimitMs = 120_000;

/** Server name for which kube-apiserver presents an expired certificate. */
export const expiredName = 'expired.test';

/**
 * Variables of the environment of programs that are written in Go: garbage is collected only if a program uses more
 * memory than this limit. Collections took a third of the CPU time of a start.
 */
export const withoutCollections = { GOGC: 'off', GOMEMLIMIT: '300MiB' } as const;
const environment = { ...process.env, ...withoutCollections };

/**
 * Starts etcd and kube-apiserver, optionally with further flags and at another address of this machine. They may not be
 * ready when the function returns. The caller stops them.
 */
export async function startApiServer(address?: string, more: readonly string[] = []): Promise<ApiServer> {
  const binaries = builtBinaries();
  const folder = mkdtempSync(join(tmpdir(), 'microshift-net-cluster-'));
  const [etcdPort, peerPort, port] = await freePorts(3);
  const tokens = { admin: randomBytes(16).toString('hex'), weak: randomBytes(16).toString('hex') };
  writeFileSync(
    join(folder, 'tokens.csv'),
    `${tokens.admin},admin,1,"system:masters"\n${tokens.weak},weak,2,"readers"\n`,
  );
  const auditLog = auditLogIn(folder);
  mkdirSync(dirname(auditLog));
  writeFileSync(join(folder, 'audit-policy.json'), JSON.stringify(auditPolicy));
  makeAccountKeys(folder);
  makeCertificates(folder, ['IP:127.0.0.1', 'DNS:localhost', ...(address ? [`IP:${address}`] : [])].join());

  const flags = flagsOf(folder, { etcd: etcdPort, peer: peerPort, api: port });
  let etcd = run(folder, 'etcd', 'etcd', flags.etcd);
  let server: ChildProcess | null = null;
  const kubeconfig = (name: string, changes: KubeconfigChanges = {}): string => {
    const token = changes.token ?? (name === 'weak' ? tokens.weak : tokens.admin);
    const certified = changes.clientCertificate
      ? { 'client-certificate': changes.clientCertificate, 'client-key': changes.clientKey }
      : { token };
    const user = changes.user ?? certified;
    const path = join(folder, `${name}.kubeconfig`);
    const server = changes.server ?? `https://127.0.0.1:${port}`;
    const caFile = changes.caFile ?? join(folder, 'ca.crt');
    writeFileSync(path, kubeconfigText({ server, caFile, serverName: changes.serverName, user }));
    return path;
  };
  const ca = readFileSync(join(folder, 'ca.crt'));
  // A TLS handshake takes as much CPU time as a simple request.
  let agent = new Agent({ keepAlive: true });
  const kill = async (): Promise<void> => {
    await ended(server);
    agent.destroy();
    agent = new Agent({ keepAlive: true });
  };
  const callAs: ApiServer['callAs'] = (token, method, path, body, contentType = 'application/json') =>
    jsonCall({ agent, port, ca, token, method, path, body, contentType });
  const call: ApiServer['call'] = (...words) => callAs(tokens.admin, ...words);
  /** Sends a request to etcd's gRPC gateway, whose keys and values are in Base64. */
  const askStore = async (path: string, body: object): Promise<{ header?: { revision?: string } }> => {
    const answer = await fetch(`http://127.0.0.1:${etcdPort}/v3/kv/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`etcd answers ${answer.status} to ${path}`);
    return (await answer.json()) as { header?: { revision?: string } };
  };
  const start = (): void => {
    const reached = address ? ['--bind-address=0.0.0.0', `--advertise-address=${address}`] : [];
    server = run(folder, 'kube-apiserver', binaries.kubeApiserver, [...flags.kubeApiserver, ...reached, ...more]);
  };
  const untilReady = async (): Promise<void> => {
    const end = Date.now() + readyLimitMs;
    for (;;) {
      const status = await call('GET', '/readyz').then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200) return;
      if (Date.now() > end) throw new Error(`kube-apiserver is not ready; see ${folder}/kube-apiserver.log`);
      await pause(50);
    }
  };
  start();
  const admin = kubeconfig('admin');
  return {
    folder,
    port,
    token: tokens.admin,
    auditLog,
    kubeconfig,
    call,
    callAs,
    start,
    kubectl: (...words) =>
      execFileSync(binaries.kubectl, ['--kubeconfig', admin, '--cache-dir', join(folder, 'kube-cache'), ...words], {
        encoding: 'utf8',
        env: environment,
      }),
    kill,
    freezeStore: () => void etcd.kill('SIGSTOP'),
    thawStore: () => void etcd.kill('SIGCONT'),
    compactStore: async () => {
      const { header } = await askStore('range', { key: 'AA==' });
      await askStore('compaction', { revision: header?.revision, physical: true });
    },
    writeVersions: async (count) => {
      for (let version = 0; version < count; version += 1) await askStore('put', { key: 'AA==', value: 'AA==' });
    },
    loseStore: async () => {
      await kill();
      await ended(etcd);
      rmSync(join(folder, 'etcd'), { recursive: true });
      etcd = run(folder, 'etcd', 'etcd', flags.etcd);
      start();
    },
    untilReady,
    restore: async () => {
      etcd.kill('SIGCONT');
      if (server === null || hasEnded(server)) start();
      await untilReady();
    },
    stop: async () => {
      await kill();
      await ended(etcd);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the path of the server's audit log, which has the requests of the pods' accounts; its folder must exist. */
export function auditLogIn(folder: string): string {
  return join(folder, 'audit', 'audit.log');
}

/** Returns the arguments of etcd and kube-apiserver, whose certificates and data are in a folder. */
export function flagsOf(
  folder: string,
  ports: { readonly etcd: number; readonly peer: number; readonly api: number },
): { readonly etcd: string[]; readonly kubeApiserver: string[] } {
  const client = `http://127.0.0.1:${ports.etcd}`;
  const peer = `http://127.0.0.1:${ports.peer}`;
  return {
    etcd: [
      `--data-dir=${join(folder, 'etcd')}`,
      '--unsafe-no-fsync',
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
    ],
    kubeApiserver: [
      `--etcd-servers=${client}`,
      `--secure-port=${ports.api}`,
      '--bind-address=127.0.0.1',
      `--tls-cert-file=${join(folder, 'server.crt')}`,
      `--tls-private-key-file=${join(folder, 'server.key')}`,
      `--tls-sni-cert-key=${join(folder, 'expired-server.crt')},${join(folder, 'expired-server.key')}:${expiredName}`,
      `--client-ca-file=${join(folder, 'ca.crt')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${join(folder, 'sa.pub')}`,
      `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
      `--token-auth-file=${join(folder, 'tokens.csv')}`,
      '--authorization-mode=RBAC',
      `--audit-policy-file=${join(folder, 'audit-policy.json')}`,
      `--audit-log-path=${auditLogIn(folder)}`,
      '--service-cluster-ip-range=10.43.0.0/16',
      '--allow-privileged=true',
      // API aggregation and the reconciliation of endpoints are off, because no other API server runs in this cluster.
      '--endpoint-reconciler-type=none',
    ],
  };
}

function run(folder: string, name: string, program: string, words: readonly string[]): ChildProcess {
  const shell = `exec "$0" "$@" >>'${join(folder, name)}.log' 2>&1`;
  const [first, ...rest] = mortal(['/bin/sh', '-c', shell, program, ...words]);
  return spawn(first, rest, { stdio: 'ignore', env: environment });
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function ended(child: ChildProcess | null): Promise<void> {
  if (child === null || hasEnded(child)) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

async function freePorts(count: number): Promise<[number, number, number]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  const [a = 0, b = 0, c = 0] = ports;
  return [a, b, c];
}
