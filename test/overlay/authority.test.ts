// The certification authority and the certificates of nodes, with the real openssl.
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { issueCertificate } from '../../agent/drivers/openssl/certificates.ts';
import { pairFault } from '../../agent/drivers/openssl/read-certificate.ts';
import {
  forgetIssued,
  initAuthority,
  installOwn,
  issueFor,
  listCertificates,
  readAuthority,
  rememberIssued,
} from '../../agent/run/overlay/certificates/authority.ts';
import { pkiFiles } from '../../agent/run/overlay/certificates/pki-files.ts';
import { failure } from '../unit/failure.ts';

const node = { name: 'n2', systemId: '5f0b6f0e-7d39-4a6a-9a43-5ac1a4f5b0c2' };
const mode = (path: string): number => statSync(path).mode & 0o777;
const openssl = (...words: string[]): string => execFileSync('openssl', words, { encoding: 'utf8' });

t.test('an authority and its certificates', async (t) => {
  const folder = t.testdir();
  const files = pkiFiles(folder);
  t.match(await initAuthority(folder), { name: 'ca', commonName: 'microshift-net overlay' });
  t.equal(mode(files.authorityKey), 0o600);
  const authority = readAuthority(folder);

  await t.rejects(initAuthority(folder), failure('certificates-refused', { message: /every node trusts it/ }));
  t.strictSame(readAuthority(folder), authority, 'the authority was not replaced');

  const pair = await issueFor(folder, node, 'client', 'issue');
  t.equal(pairFault(pair.key, pair.certificate, authority.certificate), null);
  rememberIssued(folder, node.name, pair.certificate);
  const verified = (purpose: string): string =>
    openssl('verify', '-purpose', purpose, '-CAfile', files.authority, files.issued('n2'));
  t.match(verified('sslclient'), /: OK/);
  t.throws(() => verified('sslserver'), /purpose/, 'the certificate of a member is not valid for a server');
  const text = openssl('x509', '-in', files.issued('n2'), '-noout', '-ext', 'subjectAltName,basicConstraints,keyUsage');
  t.match(text, new RegExp(`DNS:${node.systemId}\n`), "the certificate has the name that OVN's IPsec requires");
  t.match(text, /CA:FALSE/);
  const today = Date.now();
  for (const file of [files.authority, files.issued('n2')]) {
    const before = new Date(new X509Certificate(readFileSync(file)).validFrom).getTime();
    t.ok(before < today - 86_000_000, 'the certificate is valid on a node whose clock is a day behind');
  }
  await t.rejects(
    issueFor(folder, node, 'client', 'issue'),
    failure('certificates-refused', { message: /n2 has a certificate/ }),
  );
  const renewed = await issueFor(folder, node, 'server and client', 'renew');
  t.not(renewed.key, pair.key, 'a renewed certificate has a key of its own');
  writeFileSync(files.issued('n1'), renewed.certificate);
  t.match(openssl('verify', '-purpose', 'sslserver', '-CAfile', files.authority, files.issued('n1')), /: OK/);
  rmSync(files.issued('n1'));

  installOwn(folder, pair, authority.certificate);
  t.equal(mode(files.own), 0o600);
  const written = statSync(files.own).mtimeMs;
  installOwn(folder, pair, authority.certificate);
  t.equal(statSync(files.own).mtimeMs, written, 'a second issue with the same values writes nothing');
  t.throws(() => installOwn(folder, { ...pair, key: renewed.key }, authority.certificate), failure('bundle-unusable'));
  t.equal(readFileSync(files.own, 'utf8'), pair.key + pair.certificate);

  t.match(listCertificates(folder), [
    { name: 'ca', issuer: 'microshift-net overlay' },
    { name: 'this node', commonName: node.systemId, issuer: 'microshift-net overlay' },
    { name: 'n2', commonName: node.systemId, notAfter: /^\d{4}-\d\d-\d\dT/ },
  ]);
  t.strictSame(readdirSync(folder).toSorted(), ['ca.crt', 'ca.key', 'issued', 'node.pem'], 'no other file is left');
  forgetIssued(folder, 'n2');
  t.strictSame(
    listCertificates(folder).map(({ name }) => name),
    ['ca', 'this node'],
  );
});

t.test('certificates of another authority, and files that are no certificates', async (t) => {
  const root = t.testdir({ own: {}, other: {} });
  const [own, other] = [`${root}/own`, `${root}/other`];
  t.throws(() => readAuthority(own), failure('certificates-refused', { message: /no certification authority/ }));
  await initAuthority(own);
  await initAuthority(other);
  const pair = await issueCertificate(other, readAuthority(other), node.systemId, 'client', 1);
  t.match(pairFault(pair.key, pair.certificate, readAuthority(own).certificate), /not signed by the authority/);
  t.match(pairFault('', pair.certificate, readAuthority(other).certificate), /./);
  writeFileSync(pkiFiles(own).own, 'nonsense');
  t.throws(
    () => listCertificates(own),
    failure('certificates-refused', { message: /node\.pem: this is not a certificate/ }),
  );
});

t.test('a failure of openssl is reported', async (t) => {
  const folder = t.testdir();
  await initAuthority(folder);
  const authority = { ...readAuthority(folder), key: 'nonsense' };
  await t.rejects(
    issueCertificate(folder, authority, 'x', 'client', 1),
    failure('step-failed', { message: /openssl could not/ }),
  );
});
