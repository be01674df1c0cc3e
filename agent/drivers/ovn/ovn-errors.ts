import { AgentError, type ErrorKind, isAgentError, messageOf } from '../../errors.ts';
import { startSwitch } from '../../model/service-hints.ts';
import { OvsdbError } from '../ovsdb/index.ts';

/**
 * Converts a failure of an OVN database to an AgentError. `what` names the failed call in words, `where` the server.
 */
export function fromOvn(what: string, where: string, error: unknown): AgentError {
  if (isAgentError(error)) return error;
  const kind = error instanceof OvsdbError ? error.kind : 'operation';
  // An `I/O error` of a commit means that ovsdb-server cannot write its file and refuses every transaction (RFC 7047
  // section 3.1).
  const isStorage = kind === 'operation' && /^commit failed: I\/O error/.test(messageOf(error));
  const isSwitch = kind === 'unreachable' && where.startsWith('unix:') && where.endsWith('/db.sock');
  const [named, hint] = isStorage ? storage : isSwitch ? stoppedSwitch : (table[kind] ?? refusal);
  // The message of the AgentError names the server, so the name is removed from the message of the OVSDB client.
  const reason = messageOf(error).replace(`cannot connect to ${where}: `, '');
  return new AgentError(named, `could not ${what} ${what === 'connect' ? 'to' : 'at'} ${where}: ${reason}`, {
    hint,
    cause: error,
    facts: { doing: what, server: where, ...(isStorage && { isStorage }) },
  });
}

const refusal: readonly [ErrorKind, string] = [
  'ovsdb-refused',
  'run it again: another client may have changed the rows meanwhile; `--verbose` shows the answer of the server',
];

const storage: readonly [ErrorKind, string] = [
  'ovsdb-refused',
  'free space on the disk that has the database, on the central node: df /var/lib/ovn',
];

/**
 * Kind and hint of the AgentError if the unreachable database is that of Open vSwitch, whose socket is db.sock
 * (ovsdb-server(1)).
 */
const stoppedSwitch: readonly [ErrorKind, string] = ['ovsdb-unreachable', startSwitch];

/** Kind and hint of the AgentError, by the kind of the OvsdbError. */
const table: Readonly<Record<string, readonly [ErrorKind, string]>> = {
  unreachable: [
    'ovn-not-running',
    'look at `systemctl status ovn-central` on the central node, and whether a firewall lets its TCP port through to it',
  ],
  timeout: ['ovsdb-timeout', 'check on the central node whether its databases answer: ovn-sbctl --timeout=10 show'],
  lost: ['ovsdb-lost', 'look at journalctl -u ovn-central on the central node, then run the command again'],
  closed: ['ovsdb-lost', 'run the command again'],
  protocol: ['ovsdb-lost', 'check that an OVSDB server listens there'],
  'too-large': [
    'ovsdb-lost',
    'the database is larger than this program reads: find the table with most rows on the central node (ovsdb-client dump SERVER), and delete what does not belong there',
  ],
  'not-tls': ['ovsdb-lost', 'check that the southbound database listens there with TLS: microshift-net overlay verify'],
  credentials: ['certificates-refused', 'join again with a new bundle: microshift-net overlay pki renew NODE'],
  'certificate-expired': [
    'certificates-refused',
    'compare the clocks of both nodes; else renew the certificate on the central node: microshift-net overlay pki renew',
  ],
  'certificate-untrusted': [
    'certificates-refused',
    'this node joined another cluster: leave it with `overlay leave`, and join with a bundle of this one',
  ],
  'certificate-refused': [
    'certificates-refused',
    'join again with a new bundle of this cluster: microshift-net overlay pki renew NODE',
  ],
};
