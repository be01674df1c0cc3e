import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A CA, a certificate of the server, a foreign CA, a valid client certificate, and an expired one. */
export function makeCertificates(folder: string, serverNames = 'IP:127.0.0.1,DNS:localhost'): void {
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
  signed('server', '/CN=kube-apiserver', `subjectAltName=${serverNames}`, ['-days', '1']);
  signed('expired-server', '/CN=kube-apiserver', `subjectAltName=${serverNames}`, ['-days', '-1']);
  signed('client', '/O=system:masters/CN=certified', 'extendedKeyUsage=clientAuth', ['-days', '1']);
  signed('expired', '/O=system:masters/CN=late', 'extendedKeyUsage=clientAuth', ['-days', '-1']);
}

/** The key pair that signs service account tokens: sa.key and sa.pub. */
export function makeAccountKeys(folder: string): void {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(join(folder, 'sa.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }));
  writeFileSync(join(folder, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
}
