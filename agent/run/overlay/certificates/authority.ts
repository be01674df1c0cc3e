import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import {
  readSmallFile,
  removeFile,
  removeHalfWritten,
  writeFileAtomically,
} from '../../../drivers/host/files/files.ts';
import {
  type CertificateUse,
  issueCertificate,
  type KeyPair,
  makeAuthority,
  signRequest,
  workFolderPrefix,
} from '../../../drivers/openssl/certificates.ts';
import {
  type CertificateFacts,
  certificatesIn,
  isKeyOf,
  isP256,
  pairFault,
  readCertificate,
} from '../../../drivers/openssl/read-certificate.ts';
import { AgentError, messageOf } from '../../../errors.ts';
import { pkiFiles } from './pki-files.ts';

/**
 * Validity of the authority, in days. It is longer than that of a certificate, because the daemons renew certificates,
 * and only an administrator replaces an authority.
 */
const authorityDays = 3650;
/** Validity of a certificate, in days (three years); `overlay pki show` and `overlay nodes` show the remaining days. */
export const certificateDays = 1095;
/**
 * Size limit of a PEM file, in bytes. A key and a chain of certificates fit in; a larger file was not written by the
 * agent.
 */
const pemBytes = 65_536;

/** Certificate in the folder with the keys and certificates of a node. */
export interface Issued extends CertificateFacts {
  /**
   * Name of the node; `this node` for the node's own certificate; `ca` or `ca that is being replaced` for an authority.
   */
  readonly name: string;
  readonly file: string;
}

/**
 * Creates the authority of a cluster. Fails with `certificates-refused` if this node already has an authority, because
 * every node trusts that authority.
 */
export async function initAuthority(folder: string, days = authorityDays): Promise<Issued> {
  const files = pkiFiles(folder);
  // The certificate is written last. A key without a certificate is left from an interrupted run, and no node trusts
  // that key.
  if (existsSync(files.authority)) {
    throw new AgentError('certificates-refused', `${files.authority} is there already, and every node trusts it`, {
      hint: 'keep it; to start again, take the nodes out with `overlay leave` and move the folder away',
      facts: { path: files.authority },
    });
  }
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const { key, certificate } = await makeAuthority(folder, 'microshift-net overlay', days);
  writeFileAtomically(files.authorityKey, key, 0o600);
  writeFileAtomically(files.authority, certificate);
  return { name: 'ca', file: files.authority, ...readCertificate(certificate) };
}

/**
 * Returns the signing authority: its certificate, which is the last of the trusted ones, and its key. Fails with
 * `certificates-refused` if this node has no authority that can sign.
 */
export function readAuthority(folder: string): KeyPair {
  const files = pkiFiles(folder);
  const certificate = certificatesIn(read(files.authority) ?? '').at(-1) ?? null;
  // If a run was interrupted after it wrote the certificate of a new authority, the key of that authority is still in a
  // temporary file.
  const key = [files.authorityKey, files.nextAuthorityKey]
    .flatMap((file) => read(file) ?? [])
    .find((one) => certificate !== null && isKeyOf(one, certificate));
  if (key === undefined || certificate === null) {
    throw new AgentError('certificates-refused', `${folder} has no certification authority`, {
      hint: 'run it on the central node, after `microshift-net overlay init`',
      facts: { path: folder },
    });
  }
  return { key, certificate };
}

/** Returns the trusted authorities of this node as PEM; null if the node has none yet. */
export function readOwnAuthority(folder: string): string | null {
  return read(pkiFiles(folder).authority);
}

/**
 * Creates a second authority, which signs from now on. The first authority stays trusted until every member has a
 * certificate of the second. The key of the first is replaced by that of the second, because the first signs nothing
 * any more.
 */
export async function addAuthority(folder: string, days = authorityDays): Promise<Issued> {
  const files = pkiFiles(folder);
  clearRemains(folder);
  const before = readAuthority(folder).certificate;
  const name = `microshift-net overlay ${new Date().toISOString().slice(0, 10)} ${crypto.randomUUID().slice(0, 8)}`;
  const { key, certificate } = await makeAuthority(folder, name, days);
  writeFileAtomically(files.nextAuthorityKey, key, 0o600);
  writeFileAtomically(files.authority, before + certificate);
  renameSync(files.nextAuthorityKey, files.authorityKey);
  return { name: 'ca', file: files.authority, ...readCertificate(certificate) };
}

/**
 * Removes every trusted authority except the signing one. First creates the file whose presence means that clients with
 * certificates of a removed authority may be connected, so that a later run ends these connections if this run is
 * interrupted.
 */
export function dropOldAuthority(folder: string): void {
  const files = pkiFiles(folder);
  writeFileAtomically(files.endConnections, '');
  writeFileAtomically(files.authority, readAuthority(folder).certificate);
}

/** Returns true if connections of clients with certificates of a removed authority may still exist. */
export function haveConnectionsToEnd(folder: string): boolean {
  return existsSync(pkiFiles(folder).endConnections);
}

/** Deletes the file whose presence means that clients with certificates of a removed authority may be connected. */
export function forgetConnectionsToEnd(folder: string): void {
  if (haveConnectionsToEnd(folder)) removeFile(pkiFiles(folder).endConnections);
}

/**
 * Issues a key and a certificate for a node. With the mode `issue`, fails with `certificates-refused` if the node
 * already has a certificate.
 */
export async function issueFor(
  folder: string,
  node: { readonly name: string; readonly systemId: string },
  use: CertificateUse,
  mode: 'issue' | 'renew',
  days = certificateDays,
): Promise<KeyPair> {
  const authority = readAuthority(folder);
  if (mode === 'issue') refuseSecond(folder, node.name);
  clearRemains(folder);
  return issueCertificate(folder, authority, node.systemId, use, days);
}

/** Fails with `certificates-refused` if the node already has a certificate; only a renewal may issue another one. */
export function refuseSecond(folder: string, node: string): void {
  const file = pkiFiles(folder).issued(node);
  if (!existsSync(file)) return;
  throw new AgentError('certificates-refused', `${node} has a certificate already`, {
    hint: `for another one, run: microshift-net overlay pki renew ${node}`,
    facts: { path: file },
  });
}

/**
 * Signs a node's certificate request; the key stays on the node. Fails with `certificates-refused` if the key is not EC
 * P-256.
 */
export async function signFor(folder: string, systemId: string, request: string, days: number): Promise<string> {
  clearRemains(folder);
  const certificate = await signRequest(folder, readAuthority(folder), request, systemId, 'client', days);
  if (isP256(certificate)) return certificate;
  throw new AgentError('certificates-refused', 'the request has a key of another kind than EC P-256', {
    hint: 'make it on the node with: microshift-net overlay pki request',
  });
}

/** Stores an issued certificate with its request, for `pki show` and to prevent a second issue by mistake. */
export function rememberIssued(folder: string, node: string, certificate: string, request = ''): void {
  writeFileAtomically(pkiFiles(folder).issued(node), certificate + request);
}

/**
 * Returns the certificate that was last issued to a node, with the request that it answers; null if no certificate was
 * issued.
 */
export function readIssued(folder: string, node: string): { certificate: string; request: string | null } | null {
  const text = read(pkiFiles(folder).issued(node));
  const [certificate] = certificatesIn(text ?? '');
  if (text === null || certificate === undefined) return null;
  const rest = text.slice(text.indexOf(certificate) + certificate.length).trimStart();
  return { certificate, request: rest === '' ? null : rest };
}

/** Returns the node's own certificate and key; null if the node has none yet. */
export function readOwn(folder: string): KeyPair | null {
  const pem = read(pkiFiles(folder).own);
  const [certificate] = certificatesIn(pem ?? '');
  if (pem === null || certificate === undefined) return null;
  return { key: pem.slice(0, pem.indexOf(certificate)), certificate };
}

/** Removes the stored certificate of a node that has left. */
export function forgetIssued(folder: string, node: string): void {
  removeFile(pkiFiles(folder).issued(node));
}

/** Removes the temporary files with keys that a killed run has left. */
export function clearRemains(folder: string): void {
  if (!existsSync(folder)) return;
  removeHalfWritten(folder);
  removeHalfWritten(`${folder}/issued`);
  for (const name of readdirSync(folder).filter((one) => one.startsWith(workFolderPrefix)))
    rmSync(`${folder}/${name}`, { recursive: true, force: true });
}

/**
 * Installs a node's key, its certificate and the trusted authorities for the daemons of OVN. Writes only files that
 * differ. Fails with `bundle-unusable` if key, certificate and authority do not belong together.
 */
export function installOwn(folder: string, pair: KeyPair, authority: string): void {
  const fault = pairFault(pair.key, pair.certificate, authority);
  if (fault !== null) throw new AgentError('bundle-unusable', `the certificate cannot be used: ${fault}`);
  clearRemains(folder);
  const files = pkiFiles(folder);
  const pem = pair.key + pair.certificate;
  if (read(files.authority) !== authority) writeFileAtomically(files.authority, authority);
  if (read(files.own) !== pem) writeFileAtomically(files.own, pem, 0o600);
}

/** Returns every certificate in a folder: the authorities, the node's own, and the issued ones. */
export function listCertificates(folder: string): Issued[] {
  const files = pkiFiles(folder);
  const issued = existsSync(`${folder}/issued`)
    ? readdirSync(`${folder}/issued`).filter((name) => name.endsWith('.crt'))
    : [];
  const named: readonly (readonly [name: string, file: string])[] = [
    ['this node', files.own],
    ...issued.toSorted().map((file) => [file.slice(0, -'.crt'.length), `${folder}/issued/${file}`] as const),
  ];
  const authorities = read(files.authority);
  const trusted = authorities === null ? [] : certificatesIn(authorities).toReversed();
  return [
    ...trusted.map((pem, index) => {
      const name = index === 0 ? 'ca' : 'ca that is being replaced';
      return { name, file: files.authority, ...facts(files.authority, pem) };
    }),
    ...named.flatMap(([name, file]) => {
      const pem = read(file);
      return pem === null ? [] : [{ name, file, ...facts(file, pem) }];
    }),
  ];
}

function facts(file: string, pem: string): CertificateFacts {
  try {
    return readCertificate(pem);
  } catch (cause) {
    throw new AgentError('certificates-refused', `${file}: ${messageOf(cause)}`, {
      hint: 'put the right file back, or issue the certificate again',
      cause,
      facts: { path: file },
    });
  }
}

function read(path: string): string | null {
  return readSmallFile(path, pemBytes);
}
