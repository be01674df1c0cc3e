import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentError } from '../../errors.ts';
import { run } from '../host/exec.ts';

/** A private key and the certificate of its public half, both as PEM (RFC 7468). */
export interface KeyPair {
  readonly key: string;
  readonly certificate: string;
}

/** Signing takes milliseconds; a machine that has just booted may wait for its first random bytes (getrandom(2)). */
const commandMs = 20_000;

/** How folders begin in which keys are made; a process that is killed leaves its own. */
export const workFolderPrefix = '.openssl-';

/** What openssl reads while it makes a certificate; the keys in it never leave this folder, which is gone when the call settles. */
type Folder = (name: string) => string;

/** A certification authority that signs itself (openssl-req(1), RFC 5280 section 4.2.1.9). `folder` has to be on a disk that only root reads. */
export function makeAuthority(folder: string, name: string, days: number): Promise<KeyPair> {
  return inFolder(folder, async (file) => {
    const key = await makeKey(file);
    const words = ['-subj', `/CN=${name}`, '-days', String(days), '-addext', 'keyUsage=critical,keyCertSign,cRLSign'];
    await openssl(['req', '-x509', '-new', '-sha256', '-key', file('key'), '-out', file('certificate'), ...words]);
    return { key, certificate: readFileSync(file('certificate'), 'utf8') };
  });
}

/**
 * A new key with a certificate for `commonName`, for both ends of a connection (openssl-x509(1)). OVN's access control compares the common name
 * with the chassis (ovn-sb(5), RBAC).
 */
export function issueCertificate(
  folder: string,
  authority: KeyPair,
  commonName: string,
  days: number,
): Promise<KeyPair> {
  return inFolder(folder, async (file) => {
    const key = await makeKey(file);
    writeFileSync(file('ca-key'), authority.key, { mode: 0o600 });
    writeFileSync(file('ca-certificate'), authority.certificate);
    writeFileSync(
      file('extensions'),
      [
        'basicConstraints=critical,CA:FALSE',
        'keyUsage=critical,digitalSignature,keyAgreement',
        'extendedKeyUsage=serverAuth,clientAuth',
      ].join('\n'),
    );
    const subject = ['-subj', `/CN=${commonName}`];
    await openssl(['req', '-new', '-sha256', '-key', file('key'), '-out', file('request'), ...subject]);
    const serial = ['-CAserial', file('serial'), '-CAcreateserial'];
    const signing = ['-CA', file('ca-certificate'), '-CAkey', file('ca-key'), ...serial, '-sha256'];
    const told = ['-in', file('request'), '-extfile', file('extensions'), '-days', String(days)];
    await openssl(['x509', '-req', ...signing, ...told, '-out', file('certificate')]);
    return { key, certificate: readFileSync(file('certificate'), 'utf8') };
  });
}

/** A key on the curve P-256, which every OpenSSL since 1.0 has and which FIPS allows. */
async function makeKey(file: Folder): Promise<string> {
  await openssl(['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', file('key')]);
  return readFileSync(file('key'), 'utf8');
}

async function inFolder<T>(folder: string, work: (file: Folder) => Promise<T>): Promise<T> {
  // mkdtemp makes a folder that nobody else may enter.
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
