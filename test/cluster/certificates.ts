import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Creates a CA, a certificate of the server, another CA, a valid client certificate, and an expired one. */
export function makeCertificates(folder: string, serverNames = 'IP:127.0.0.1,DNS:localhost'): void {
  const openssl = (command: string): void => {
    execFileSync('openssl', command.split(' '), { cwd: folder, stdio: 'ignore' });
  };
  const newKey = (name: string): string =>
    `-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ${name}.key -subj`;
  const selfSigned = (name: string): void =>
    openssl(`req -x509 ${newKey(name)} /CN=${name} -out ${name}.crt -days 2 -addext basicConstraints=critical,CA:TRUE`);
  const signed = (name: string, subject: string, extensions: string, days: number): void => {
    writeFileSync(join(folder, `${name}.ext`), extensions);
    openssl(`req ${newKey(name)} ${subject} -out ${name}.csr`);
    const authority = '-CA ca.crt -CAkey ca.key -CAcreateserial';
    openssl(`x509 -req -in ${name}.csr ${authority} -out ${name}.crt -extfile ${name}.ext -days ${days}`);
  };
  selfSigned('ca');
  selfSigned('foreign');
  signed('server', '/CN=kube-apiserver', `subjectAltName=${serverNames}`, 1);
  signed('expired-server', '/CN=kube-apiserver', `subjectAltName=${serverNames}`, -1);
  signed('client', '/O=system:masters/CN=certified', 'extendedKeyUsage=clientAuth', 1);
  signed('expired', '/O=system:masters/CN=late', 'extendedKeyUsage=clientAuth', -1);
}

/** Creates the key pair that signs service account tokens: sa.key and sa.pub. */
export function makeAccountKeys(folder: string): void {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(join(folder, 'sa.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }));
  writeFileSync(join(folder, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
}
