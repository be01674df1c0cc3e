// Connections to a server over tcp: and ssl:, with every fault that a certificate can have.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type Credentials, connect } from '../../agent/drivers/ovsdb/index.ts';
import { hasProgram } from '../cluster/binaries.ts';
import { makeCertificates } from '../cluster/certificates.ts';
import { missingParts, startServer } from './real-server.ts';

/** Limit that is sufficient on a very slow machine for an answer that usually arrives at once. */
const limitMs = 120_000;

const missing = missingParts() || (hasProgram('openssl', 'version') ? false : 'openssl is missing');

/** Makes certificates with openssl, and starts a server with the certificate of this name. */
async function startTls(
  t: Test,
  name: string,
): Promise<{ remote: string; using: (name: string, ca?: string) => Credentials }> {
  const folder = mkdtempSync(join(tmpdir(), 'ovsdb-tls-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  makeCertificates(folder);
  const words = [`--private-key=${name}.key`, `--certificate=${name}.crt`, '--ca-cert=ca.crt'].map((word) =>
    word.replace('=', `=${folder}/`),
  );
  const server = await startServer(t, { listenOn: 'pssl:0:127.0.0.1', words });
  const using = (client: string, ca = 'ca'): Credentials => ({
    privateKey: join(folder, `${client}.key`),
    certificate: join(folder, `${client}.crt`),
    ca: join(folder, `${ca}.crt`),
  });
  return { remote: `ssl:127.0.0.1:${server.port()}`, using };
}

/** Opens a port, and calls the function for every connection to it. */
async function listenOn(t: Test, serve: Parameters<typeof createServer>[1]): Promise<string> {
  const server: Server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  return `127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
}

t.test('tcp:', { skip: missing }, async (t) => {
  const server = await startServer(t, { listenOn: 'ptcp:0:127.0.0.1' });
  const client = await connect(`tcp:127.0.0.1:${server.port()}`, limitMs);
  t.equal(client.remote, `tcp:127.0.0.1:${server.port()}`);
  t.strictSame(await client.call('echo', ['x']), ['x']);
  client.close();
  await t.test('the first remote that answers is used; if none answers, the error names them all', async (t) => {
    const nobody = 'tcp:127.0.0.1:1';
    const first = await connect([nobody, `unix:${server.folder}/none`, `unix:${server.path}`], limitMs);
    t.equal(first.remote, `unix:${server.path}`);
    first.close();
    await t.rejects(connect(`${nobody},unix:/nonexistent/db.sock`, limitMs), {
      name: 'OvsdbError',
      kind: 'unreachable',
      message: /^no server can be used: .*tcp:127\.0\.0\.1:1: no server listens.*; .*unix:\/nonexistent\/db\.sock/,
    });
  });
  await t.test('a port whose server does not speak TLS', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'ovsdb-tls-'));
    t.teardown(() => rmSync(folder, { recursive: true }));
    makeCertificates(folder);
    const credentials = {
      privateKey: join(folder, 'client.key'),
      certificate: join(folder, 'client.crt'),
      ca: join(folder, 'ca.crt'),
    };
    const plain = await listenOn(t, (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    for (const remote of [`127.0.0.1:${server.port()}`, plain])
      await t.rejects(connect(`ssl:${remote}`, limitMs, { credentials }), { name: 'OvsdbError', kind: 'not-tls' });
    const mute = await listenOn(t, (socket) => t.teardown(() => socket.destroy()));
    await t.rejects(connect(`ssl:${mute}`, 200, { credentials }), {
      name: 'OvsdbError',
      kind: 'unreachable',
      message: /no answer within/,
    });
  });
});

t.test('ssl:', { skip: missing }, async (t) => {
  const { remote, using } = await startTls(t, 'server');
  const from = async (credentials?: Credentials): Promise<string> => {
    const client = await connect(remote, limitMs, { credentials });
    await client.call('list_dbs', []);
    client.close();
    return client.remote;
  };
  t.equal(await from(using('client')), remote);
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  t.teardown(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
  await t.rejects(from(using('client', 'foreign')), {
    name: 'OvsdbError',
    kind: 'certificate-untrusted',
    message: remote,
  });
  await t.rejects(from(using('expired')), { name: 'OvsdbError', kind: 'certificate-refused', message: remote });
  await t.rejects(from(using('foreign')), { name: 'OvsdbError', kind: 'certificate-refused', message: remote });
  await t.rejects(from(), { name: 'OvsdbError', kind: 'credentials', message: /needs a private key/ });
  await t.rejects(from({ ...using('client'), ca: '/nonexistent/ca.crt' }), {
    kind: 'credentials',
    message: /cannot read/,
  });
  await t.rejects(from({ ...using('client'), privateKey: using('foreign').privateKey }), {
    name: 'OvsdbError',
    kind: 'credentials',
  });
  await t.rejects(from({ ...using('client'), certificate: using('client').privateKey }), {
    name: 'OvsdbError',
    kind: 'credentials',
  });
  await t.rejects(
    connect(remote.replace('ssl:', 'tcp:'), limitMs).then((client) => client.call('echo', [])),
    {
      name: 'OvsdbError',
      kind: /^(lost|protocol)$/,
    },
  );
});

t.test('ssl: to a server whose certificate has expired', { skip: missing }, async (t) => {
  const { remote, using } = await startTls(t, 'expired-server');
  const credentials = using('client');
  await t.rejects(connect(remote, limitMs, { credentials }), {
    name: 'OvsdbError',
    kind: 'certificate-expired',
    message: remote,
  });
});
