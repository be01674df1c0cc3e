import { existsSync } from 'node:fs';
import { AgentError, isAgentError } from '../../../errors.ts';
import type { NodeWords } from '../../../model/ovn-k8s.ts';

/** Files of the private key and of the certificates that ovn-kubernetes uses by default (INSTALL.SSL.md). */
const tlsFiles = {
  privateKey: '/etc/openvswitch/ovncontroller-privkey.pem',
  certificate: '/etc/openvswitch/ovncontroller-cert.pem',
  northbound: '/etc/openvswitch/ovnnb-ca.cert',
  southbound: '/etc/openvswitch/ovnsb-ca.cert',
} as const;

/**
 * Returns the key and certificate files for a TLS connection to the remotes of a database; undefined if no remote uses
 * TLS. Fails with `bad-usage` if a file is missing.
 */
export function credentialsOf(remotes: readonly string[], ca: 'northbound' | 'southbound', words: Partial<NodeWords>) {
  if (!remotes.some((remote) => remote.startsWith('ssl:'))) return undefined;
  const { nbPrivkey, nbCert, nbCacert } = words;
  const files = [
    ['--nb-privkey', nbPrivkey ?? tlsFiles.privateKey],
    ['--nb-cert', nbCert ?? tlsFiles.certificate],
    ['--nb-cacert', ca === 'northbound' ? (nbCacert ?? tlsFiles.northbound) : tlsFiles.southbound],
  ] as const;
  const missing = files.find(([, file]) => !existsSync(file));
  if (missing !== undefined) {
    const [option, file] = missing;
    const isOption = ca === 'northbound' || option !== '--nb-cacert';
    throw new AgentError('bad-usage', `${file} is missing, and the ${ca} database answers with TLS`, {
      hint: isOption
        ? `name another file: ${option} FILE`
        : "copy it from the central node: it is the certificate of the authority that signed that node's certificate",
      facts: { file },
    });
  }
  const [[, privateKey], [, certificate], [, authority]] = files;
  return { privateKey, certificate, ca: authority };
}

/**
 * Throws `error` again. If the error says that certificates were refused, gives it another hint. The original hint
 * names `overlay pki`, but the commands of ovn-k8s-overlay use the certificates that their options name.
 */
export function explained(error: unknown): never {
  if (!isAgentError(error) || error.kind !== 'certificates-refused') throw error;
  throw new AgentError(error.kind, error.message, {
    hint: 'look at the files of --nb-privkey, --nb-cert and --nb-cacert; `ovn-nbctl` with the same ones says more',
    cause: error,
  });
}
