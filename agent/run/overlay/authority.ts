import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { readSmallFile, removeFile, removeHalfWritten, writeFileAtomically } from '../../drivers/host/files.ts';
import {
  type CertificateUse,
  issueCertificate,
  type KeyPair,
  makeAuthority,
  workFolderPrefix,
} from '../../drivers/openssl/certificates.ts';
import { type CertificateFacts, pairFault, readCertificate } from '../../drivers/openssl/read-certificate.ts';
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
    authority: `${folder}/ca.crt`,
    /** The node's key and certificate, in one file so that no one is ever without the other. */
    own: `${folder}/node.pem`,
    issued: (node: string) => `${folder}/issued/${node}.crt`,
  };
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

/** The authority's certificate, and its key where it is here. */
export function readAuthority(folder: string): KeyPair {
  const files = pkiFiles(folder);
  const [key, certificate] = [read(files.authorityKey), read(files.authority)];
  if (key === null || certificate === null) {
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

/** Issues a key and certificate for a node; the central node is also a server. `mode` decides how a certificate that was issued before is handled. */
export async function issueFor(
  folder: string,
  node: { readonly name: string; readonly systemId: string },
  use: CertificateUse,
  mode: 'issue' | 'renew',
  days = certificateDays,
): Promise<KeyPair> {
  const authority = readAuthority(folder);
  const file = pkiFiles(folder).issued(node.name);
  if (mode === 'issue' && existsSync(file)) {
    throw new AgentError('certificates-refused', `${node.name} has a certificate already`, {
      hint: `for another one, run: microshift-net overlay pki renew ${node.name}`,
      facts: { path: file },
    });
  }
  clearRemains(folder);
  return issueCertificate(folder, authority, node.systemId, use, days);
}

/** Remembers a certificate as issued, for `pki show` and against issuing a second one by mistake. */
export function rememberIssued(folder: string, node: string, certificate: string): void {
  writeFileAtomically(pkiFiles(folder).issued(node), certificate);
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
    ['ca', files.authority],
    ['this node', files.own],
    ...issued.toSorted().map((file) => [file.slice(0, -'.crt'.length), `${folder}/issued/${file}`] as const),
  ];
  return named.flatMap(([name, file]) => {
    const pem = read(file);
    return pem === null ? [] : [{ name, file, ...facts(file, pem) }];
  });
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
