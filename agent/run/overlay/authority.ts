import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { readSmallFile, removeFile, removeHalfWritten, writeFileAtomically } from '../../drivers/host/files.ts';
import {
  type CertificateUse,
  issueCertificate,
  type KeyPair,
  makeAuthority,
  signRequest,
  workFolderPrefix,
} from '../../drivers/openssl/certificates.ts';
import {
  type CertificateFacts,
  certificatesIn,
  isKeyOf,
  isP256,
  pairFault,
  readCertificate,
} from '../../drivers/openssl/read-certificate.ts';
import { AgentError, messageOf } from '../../errors.ts';

/** The authority outlives every certificate by far: to replace it means to visit every node. */
const authorityDays = 3650;
/** Three years: `pki show` and `nodes` tell how long it is. */
export const certificateDays = 1095;
/** A key and a chain of certificates; anything longer is no file of ours. */
const pemBytes = 65_536;

/** A certificate of the cluster. */
export interface Issued extends CertificateFacts {
  /** The name of the node; `ca` is the authority. */
  readonly name: string;
  readonly file: string;
}

/** The files of a folder of certificates. */
export function pkiFiles(folder: string) {
  return {
    authorityKey: `${folder}/ca.key`,
    /** The key of an authority that takes over, until ca.crt has its certificate. */
    nextAuthorityKey: `${folder}/ca-next.key`,
    /** Whom this node trusts: one authority, or two while one replaces the other. The last one signs. */
    authority: `${folder}/ca.crt`,
    /** The node's key and certificate, in one file so that no one is ever without the other. */
    own: `${folder}/node.pem`,
    /** The key of the node's next certificate, and the request for it. */
    request: `${folder}/request.pem`,
    issued: (node: string) => `${folder}/issued/${node}.crt`,
  };
}

/** The files that the daemons of this node read; key and certificate are in one. */
export function tlsFiles(folder: string) {
  const { own, authority } = pkiFiles(folder);
  return { privateKey: own, certificate: own, caCertificate: authority };
}

/** Makes the authority of a cluster. One that is there is never replaced: every node trusts it. */
export async function initAuthority(folder: string, days = authorityDays): Promise<Issued> {
  const files = pkiFiles(folder);
  // The certificate is written last: a key without it is what an interrupted run left, and nobody has trusted it.
  if (existsSync(files.authority)) {
    throw new AgentError('certificates-refused', `${files.authority} is there already, and every node trusts it`, {
      hint: 'keep it; to begin anew, take the nodes out with `overlay leave` and move the folder away',
      facts: { path: files.authority },
    });
  }
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const { key, certificate } = await makeAuthority(folder, 'microshift-net overlay', days);
  writeFileAtomically(files.authorityKey, key, 0o600);
  writeFileAtomically(files.authority, certificate);
  return { name: 'ca', file: files.authority, ...readCertificate(certificate) };
}

/** The authority that signs: its certificate, which is the last of those that are trusted, and its key. */
export function readAuthority(folder: string): KeyPair {
  const files = pkiFiles(folder);
  const certificate = certificatesIn(read(files.authority) ?? '').at(-1) ?? null;
  // A run that was cut off between the two files has left the key under its first name.
  const key = [files.authorityKey, files.nextAuthorityKey]
    .flatMap((file) => read(file) ?? [])
    .find((one) => certificate !== null && isKeyOf(one, certificate));
  if (key === undefined || certificate === null) {
    throw new AgentError('certificates-refused', `there is no certification authority in ${folder}`, {
      hint: 'run it on the central node, after `microshift-net overlay init`',
      facts: { path: folder },
    });
  }
  return { key, certificate };
}

/** Whom this node trusts; null: nobody yet. */
export function readOwnAuthority(folder: string): string | null {
  return read(pkiFiles(folder).authority);
}

/**
 * Makes another authority that signs from now on, beside the one that is trusted already. The key of the old one goes: nothing is signed with it any
 * more.
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

/** Trusts the authority that signs, and no other one any more. */
export function dropOldAuthority(folder: string): void {
  writeFileAtomically(pkiFiles(folder).authority, readAuthority(folder).certificate);
}

/** Issues a key and certificate for a node; the central node is also a server. `mode` decides how a certificate that was issued before is handled. */
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

/** Fails with `certificates-refused` if a node has a certificate already. Only a renewal may issue another one. */
export function refuseSecond(folder: string, node: string): void {
  const file = pkiFiles(folder).issued(node);
  if (!existsSync(file)) return;
  throw new AgentError('certificates-refused', `${node} has a certificate already`, {
    hint: `for another one, run: microshift-net overlay pki renew ${node}`,
    facts: { path: file },
  });
}

/** Signs a node's request for a certificate; its key is not here. Refuses a key of another kind than ours. */
export async function signFor(folder: string, systemId: string, request: string, days: number): Promise<string> {
  clearRemains(folder);
  const certificate = await signRequest(folder, readAuthority(folder), request, systemId, 'client', days);
  if (isP256(certificate)) return certificate;
  throw new AgentError('certificates-refused', 'the request has a key of another kind than EC P-256', {
    hint: 'make it on the node with: microshift-net overlay pki request',
  });
}

/** Remembers a certificate as issued, and the request that it answers, for `pki show` and against issuing a second one by mistake. */
export function rememberIssued(folder: string, node: string, certificate: string, request = ''): void {
  writeFileAtomically(pkiFiles(folder).issued(node), certificate + request);
}

/** The certificate that was last issued to a node, with the request that it answers; null: none. */
export function readIssued(folder: string, node: string): { certificate: string; request: string | null } | null {
  const text = read(pkiFiles(folder).issued(node));
  const [certificate] = certificatesIn(text ?? '');
  if (text === null || certificate === undefined) return null;
  const rest = text.slice(text.indexOf(certificate) + certificate.length).trimStart();
  return { certificate, request: rest === '' ? null : rest };
}

/** The node's own certificate and its key; null: it has none yet. */
export function readOwn(folder: string): KeyPair | null {
  const pem = read(pkiFiles(folder).own);
  const [certificate] = certificatesIn(pem ?? '');
  if (pem === null || certificate === undefined) return null;
  return { key: pem.slice(0, pem.indexOf(certificate)), certificate };
}

/** Forgets the certificate of a node that has left. */
export function forgetIssued(folder: string, node: string): void {
  removeFile(pkiFiles(folder).issued(node));
}

/** Removes keys that a run had not put in place when it was killed. */
export function clearRemains(folder: string): void {
  if (!existsSync(folder)) return;
  removeHalfWritten(folder);
  removeHalfWritten(`${folder}/issued`);
  for (const name of readdirSync(folder).filter((one) => one.startsWith(workFolderPrefix)))
    rmSync(`${folder}/${name}`, { recursive: true, force: true });
}

/** Puts a node's own key pair in place, where the daemons read it. */
export function installOwn(folder: string, pair: KeyPair, authority: string): void {
  const fault = pairFault(pair.key, pair.certificate, authority);
  if (fault !== null) throw new AgentError('bundle-unusable', `the certificate cannot be used: ${fault}`);
  clearRemains(folder);
  const files = pkiFiles(folder);
  const pem = pair.key + pair.certificate;
  if (read(files.authority) !== authority) writeFileAtomically(files.authority, authority);
  if (read(files.own) !== pem) writeFileAtomically(files.own, pem, 0o600);
}

/** Every certificate in a folder: the authority, the node's own, and those that were issued. */
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
      hint: 'put the right file back, or issue the certificate anew',
      cause,
      facts: { path: file },
    });
  }
}

function read(path: string): string | null {
  return readSmallFile(path, pemBytes);
}
