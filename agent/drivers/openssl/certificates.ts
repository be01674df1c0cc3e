import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentError } from '../../errors.ts';
import { run } from '../host/process/exec.ts';

/** Private key and the certificate of its public key, both as PEM (RFC 7468). */
export interface KeyPair {
  readonly key: string;
  readonly certificate: string;
}

/**
 * Time limit for a command of openssl. Signing takes milliseconds; a machine that has just booted may wait for its
 * first random bytes (getrandom(2)).
 */
const commandMs = 20_000;

/**
 * Prefix of the directories in which keys are created. A killed process leaves its directory behind; a later run finds
 * it by this prefix and removes it.
 */
export const workFolderPrefix = '.openssl-';

/**
 * Function that returns the path of a file in a temporary directory that contains keys. Each creation of a key, request
 * or certificate has a directory of its own, which is removed at the end.
 */
type Folder = (name: string) => string;

/**
 * Time by which the start of a certificate's validity precedes its issue. A node without a battery for its clock may
 * boot with the time of its last shutdown. A certificate whose validity begins at its issue would not be valid on that
 * node yet.
 */
const backdatedMs = 86_400_000;
const dayMs = 86_400_000;

/**
 * Purpose of a certificate (extended key usage, RFC 5280 section 4.2.1.12). A server that presents a certificate for
 * `client`, such as the certificate of a member, is not accepted by its clients.
 */
export type CertificateUse = 'server and client' | 'client';

/**
 * Creates a self-signed certification authority (openssl-ca(1), RFC 5280 section 4.2.1.9). `folder` has to be on a file
 * system that only root can read.
 */
export function makeAuthority(folder: string, name: string, days: number): Promise<KeyPair> {
  return inFolder(folder, async (file) => {
    const key = await makeKey(file);
    await request(file, name);
    const extensions = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign'];
    await sign(file, name, extensions, days, ['-selfsign', '-keyfile', file('key')]);
    return { key, certificate: readFileSync(file('certificate'), 'utf8') };
  });
}

/** Private key and a certificate signing request for its public key (RFC 2986), both as PEM. */
export interface KeyAndRequest {
  readonly key: string;
  readonly request: string;
}

/**
 * Creates a key and a certificate signing request for it. The authority that signs decides what the certificate
 * contains.
 */
export function makeRequest(folder: string, commonName: string): Promise<KeyAndRequest> {
  return inFolder(folder, async (file) => {
    const key = await makeKey(file);
    await request(file, commonName);
    return { key, request: readFileSync(file('request'), 'utf8') };
  });
}

/**
 * Creates a key and a certificate for `commonName`. OVN's access control compares the common name with the chassis
 * (ovn-sb(5), RBAC); OVN's IPsec needs the same name in subjectAltName (ovn-architecture(7), ovs-monitor-ipsec).
 * `commonName` may contain letters, digits, hyphens, dots and underscores.
 */
export function issueCertificate(
  folder: string,
  authority: KeyPair,
  commonName: string,
  use: CertificateUse,
  days: number,
): Promise<KeyPair> {
  return inFolder(folder, async (file) => {
    const key = await makeKey(file);
    await request(file, commonName);
    return { key, certificate: await signRequestIn(file, authority, commonName, use, days) };
  });
}

/**
 * Signs a certificate signing request of another node. Only its public key is used; name, extensions and dates come
 * from the arguments (openssl-ca(1): `-subj`; `copy_extensions` has its default `none`). openssl refuses a request
 * whose signature does not match the public key in it.
 */
export function signRequest(
  folder: string,
  authority: KeyPair,
  pem: string,
  commonName: string,
  use: CertificateUse,
  days: number,
): Promise<string> {
  return inFolder(folder, async (file) => {
    writeFileSync(file('request'), pem);
    return signRequestIn(file, authority, commonName, use, days);
  });
}

async function signRequestIn(
  file: Folder,
  authority: KeyPair,
  commonName: string,
  use: CertificateUse,
  days: number,
): Promise<string> {
  writeFileSync(file('ca-key'), authority.key, { mode: 0o600 });
  writeFileSync(file('ca-certificate'), authority.certificate);
  const extensions = [
    'basicConstraints=critical,CA:FALSE',
    'keyUsage=critical,digitalSignature,keyAgreement',
    `extendedKeyUsage=${use === 'client' ? 'clientAuth' : 'serverAuth,clientAuth'}`,
    `subjectAltName=DNS:${commonName}`,
    'authorityKeyIdentifier=keyid',
  ];
  await sign(file, commonName, extensions, days, ['-cert', file('ca-certificate'), '-keyfile', file('ca-key')]);
  return readFileSync(file('certificate'), 'utf8');
}

/** Writes the file `request`, a certificate signing request for the key in the file `key` of the same directory. */
async function request(file: Folder, commonName: string): Promise<void> {
  writeFileSync(file('names'), '[req]\ndistinguished_name=name\n[name]\n');
  const subject = ['-config', file('names'), '-subj', `/CN=${commonName}`];
  await openssl(['req', '-new', '-sha256', '-key', file('key'), '-out', file('request'), ...subject]);
}

/**
 * Signs the certificate signing request in the file `request`, and writes the certificate into the file `certificate`
 * of the same directory. openssl-ca(1) has always accepted a start date; openssl-x509(1) and openssl-req(1) accept one
 * only from OpenSSL 3.4 on.
 */
async function sign(
  file: Folder,
  commonName: string,
  extensions: readonly string[],
  days: number,
  signer: readonly string[],
): Promise<void> {
  const end = Date.now() + days * dayMs;
  writeFileSync(file('index'), '');
  writeFileSync(
    file('configuration'),
    [
      '[ca]',
      'default_ca=signing',
      '[signing]',
      `new_certs_dir=${file('')}`,
      `database=${file('index')}`,
      'rand_serial=yes',
      'default_md=sha256',
      'policy=policy',
      'x509_extensions=extensions',
      '[policy]',
      'commonName=supplied',
      '[extensions]',
      'subjectKeyIdentifier=hash',
      ...extensions,
      '',
    ].join('\n'),
  );
  const named = ['-config', file('configuration'), '-subj', `/CN=${commonName}`];
  const valid = ['-startdate', asn1Time(Math.min(end, Date.now()) - backdatedMs), '-enddate', asn1Time(end)];
  const files = ['-in', file('request'), '-out', file('certificate')];
  await openssl(['ca', '-batch', '-notext', ...named, ...signer, ...valid, ...files]);
}

/** Returns a time in milliseconds as GeneralizedTime (RFC 5280 section 4.1.2.5.2): `20261126124700Z`. */
function asn1Time(timeMs: number): string {
  return `${new Date(timeMs).toISOString().replaceAll(/[-:T]|\.\d+Z$/g, '')}Z`;
}

/** Creates a key on the curve P-256, which every OpenSSL since 1.0 supports and which FIPS allows. */
async function makeKey(file: Folder): Promise<string> {
  await openssl(['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', file('key')]);
  return readFileSync(file('key'), 'utf8');
}

async function inFolder<T>(folder: string, work: (file: Folder) => Promise<T>): Promise<T> {
  // mkdtemp creates a directory that only this user can enter.
  const temporary = mkdtempSync(join(folder, workFolderPrefix));
  try {
    return await work((name) => join(temporary, name));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function openssl(words: readonly string[]): Promise<void> {
  const { exitCode, stderr, failure } = await run('openssl', words, commandMs);
  if (exitCode === 0) return;
  throw new AgentError('step-failed', `openssl could not make a certificate: ${failure ?? words[0] ?? ''}`, {
    hint: 'check that the disk is not full, and what `openssl version -a` says of its configuration',
    facts: { program: 'openssl', stderr: stderr.trim().slice(-2000) },
  });
}
