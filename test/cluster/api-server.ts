import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The folder with go.mod; this file runs from build/test/cluster. */
const moduleFolder = join(import.meta.dirname, '../../../test/cluster');
const cacheFolder = join(process.env.MICROSHIFT_NET_CACHE ?? '/var/cache/microshift-net', 'kube');

/** Why there can be no API server here; null: there can. */
export function missingParts(): string | null {
  if (existsSync(join(binaryFolder(), 'kube-apiserver')))
    return hasProgram('etcd') ? null : 'etcd is missing (package etcd-server)';
  if (!hasProgram('go')) return 'Go is missing, which builds kube-apiserver';
  return hasProgram('etcd') ? null : 'etcd is missing (package etcd-server)';
}

/** The built kube-apiserver and kubectl; builds them the first time, which takes minutes. */
export function builtBinaries(): { kubeApiserver: string; kubectl: string } {
  const folder = binaryFolder();
  const binaries = { kubeApiserver: join(folder, 'kube-apiserver'), kubectl: join(folder, 'kubectl') };
  if (existsSync(binaries.kubeApiserver) && existsSync(binaries.kubectl)) return binaries;
  process.stderr.write(`# building kube-apiserver into ${folder}, about 6 minutes on two cores\n`);
  mkdirSync(cacheFolder, { recursive: true });
  const temporary = mkdtempSync(join(cacheFolder, 'build-'));
  try {
    const version = /k8s\.io\/kubernetes (v\S+)/.exec(readFileSync(join(moduleFolder, 'go.mod'), 'utf8'))?.[1];
    const flags = `-s -w -X k8s.io/component-base/version.gitVersion=${version}`;
    const packages = ['kube-apiserver', 'kubectl'].map((name) => `k8s.io/kubernetes/cmd/${name}`);
    const words = [
      'build',
      '-trimpath',
      '-buildvcs=false',
      '-p=2',
      '-ldflags',
      flags,
      '-o',
      `${temporary}/`,
      ...packages,
    ];
    execFileSync('nice', ['-n', '19', 'go', ...words], { cwd: moduleFolder, stdio: ['ignore', 'ignore', 'inherit'] });
    // By rename, so that a build that was cut off or runs twice never leaves half a folder.
    if (!existsSync(folder)) renameSync(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return binaries;
}

function binaryFolder(): string {
  const content = ['go.mod', 'go.sum'].map((name) => readFileSync(join(moduleFolder, name)));
  return join(cacheFolder, createHash('sha256').update(Buffer.concat(content)).digest('hex').slice(0, 16));
}

function hasProgram(name: string): boolean {
  return spawnSync(name, ['version'], { stdio: 'ignore' }).error === undefined;
}

/** A running kube-apiserver with its own etcd, certificates and data, all below one temporary folder. */
export interface ApiServer {
  readonly folder: string;
  readonly port: number;
  readonly kubectl: (...words: readonly string[]) => string;
  /** Writes a kubeconfig for a bearer token; `admin` is the administrator's. */
  readonly kubeconfig: (name: string, changes?: KubeconfigChanges) => string;
  /** An API call as the administrator, with JSON in and out. */
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    contentType?: string,
  ) => Promise<{ status: number; body: any }>;
  /** Kills and starts the server itself; etcd stays. */
  readonly kill: () => Promise<void>;
  readonly start: (extra?: readonly string[]) => void;
  readonly untilReady: () => Promise<void>;
  /** Appends lines to the audit log since the last call and returns the write requests in it. */
  readonly stop: () => Promise<void>;
}

export interface KubeconfigChanges {
  readonly token?: string;
  readonly caFile?: string;
  readonly server?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

const readyLimitMs = 120_000;

/** Starts etcd and kube-apiserver; not ready yet when it returns. Whoever starts it stops it. */
export async function startApiServer(): Promise<ApiServer> {
  const binaries = builtBinaries();
  const folder = mkdtempSync(join(tmpdir(), 'microshift-net-cluster-'));
  const [etcdPort, peerPort, port] = await freePorts(3);
  const tokens = { admin: randomBytes(16).toString('hex'), weak: randomBytes(16).toString('hex') };
  writeFileSync(
    join(folder, 'tokens.csv'),
    `${tokens.admin},admin,1,"system:masters"\n${tokens.weak},weak,2,"readers"\n`,
  );
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(join(folder, 'sa.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }));
  writeFileSync(join(folder, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  makeCertificates(folder);

  const etcd = run(folder, 'etcd', 'etcd', [
    `--data-dir=${join(folder, 'etcd')}`,
    '--unsafe-no-fsync',
    `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
    `--advertise-client-urls=http://127.0.0.1:${etcdPort}`,
    `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
    `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
    `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
  ]);
  const flags = [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--tls-cert-file=${join(folder, 'server.crt')}`,
    `--tls-private-key-file=${join(folder, 'server.key')}`,
    `--client-ca-file=${join(folder, 'ca.crt')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${join(folder, 'sa.pub')}`,
    `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.43.0.0/16',
    '--allow-privileged=true',
    // No aggregation and no endpoint reconciling: nothing else runs in this cluster.
    '--endpoint-reconciler-type=none',
  ];
  let server: ChildProcess | null = null;
  const kubeconfig = (name: string, changes: KubeconfigChanges = {}): string => {
    const token = changes.token ?? (name === 'weak' ? tokens.weak : tokens.admin);
    const user = changes.clientCertificate
      ? { 'client-certificate': changes.clientCertificate, 'client-key': changes.clientKey }
      : { token };
    const path = join(folder, `${name}.kubeconfig`);
    const cluster = {
      server: changes.server ?? `https://127.0.0.1:${port}`,
      'certificate-authority': changes.caFile ?? join(folder, 'ca.crt'),
    };
    writeFileSync(
      path,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'test', cluster }],
        users: [{ name: 'test', user }],
        contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
        'current-context': 'test',
      }),
    );
    return path;
  };
  const call: ApiServer['call'] = (method, path, body, contentType = 'application/json') =>
    jsonCall({ port, ca: readFileSync(join(folder, 'ca.crt')), token: tokens.admin, method, path, body, contentType });
  const start = (extra: readonly string[] = []): void => {
    server = run(folder, 'kube-apiserver', binaries.kubeApiserver, [...flags, ...extra]);
  };
  start();
  const admin = kubeconfig('admin');
  return {
    folder,
    port,
    kubeconfig,
    call,
    start,
    kubectl: (...words) =>
      execFileSync(binaries.kubectl, ['--kubeconfig', admin, '--cache-dir', join(folder, 'kube-cache'), ...words], {
        encoding: 'utf8',
      }),
    kill: () => ended(server),
    untilReady: async () => {
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
    },
    stop: async () => {
      await ended(server);
      await ended(etcd);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A CA, a certificate of the server, a foreign CA, and client certificates: one that is valid and one that is over. */
function makeCertificates(folder: string): void {
  const openssl = (...words: string[]): void => {
    execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' });
  };
  const selfSigned = (name: string): void =>
    openssl(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.crt`,
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      '-addext',
      'basicConstraints=critical,CA:TRUE',
    );
  const signed = (name: string, subject: string, extensions: string, dates: string[]): void => {
    writeFileSync(join(folder, `${name}.ext`), extensions);
    openssl(
      'req',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      subject,
    );
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      'ca.crt',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-out',
      `${name}.crt`,
      '-extfile',
      `${name}.ext`,
      ...dates,
    );
  };
  selfSigned('ca');
  selfSigned('foreign');
  signed('server', '/CN=kube-apiserver', 'subjectAltName=IP:127.0.0.1,DNS:localhost', ['-days', '1']);
  signed('expired-server', '/CN=kube-apiserver', 'subjectAltName=IP:127.0.0.1,DNS:localhost', ['-days', '-1']);
  signed('client', '/O=system:masters/CN=certified', 'extendedKeyUsage=clientAuth', ['-days', '1']);
  signed('expired', '/O=system:masters/CN=late', 'extendedKeyUsage=clientAuth', ['-days', '-1']);
}

function run(folder: string, name: string, program: string, words: readonly string[]): ChildProcess {
  const shell = `exec "$0" "$@" >>'${join(folder, name)}.log' 2>&1`;
  return spawn('/bin/sh', ['-c', shell, program, ...words], { stdio: 'ignore' });
}

function ended(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

interface JsonCall {
  readonly port: number;
  readonly ca: Buffer;
  readonly token: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly contentType: string;
}

function jsonCall({
  port,
  ca,
  token,
  method,
  path,
  body,
  contentType,
}: JsonCall): Promise<{ status: number; body: any }> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': contentType };
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, ca, method, path, headers, agent: false }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, body: text.startsWith('{') ? JSON.parse(text) : text }),
      );
      incoming.on('error', reject);
    });
    outgoing.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
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
