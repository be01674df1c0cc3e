// Hostile or defective kubeconfigs and answers of an API server.
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { bodyOf, lineBatchesOf } from '../../../agent/drivers/kubernetes/http.ts';
import { readAccess } from '../../../agent/drivers/kubernetes/kubeconfig.ts';
import { readDaemonSets } from '../../../agent/facts/daemon-sets.ts';
import { failure } from '../failure.ts';

const limit = 1000;

/** Returns the answer of a server that sends these pieces. */
async function answer(t: Test, ...pieces: string[]): Promise<IncomingMessage> {
  const server = createServer((_request, response) => {
    for (const piece of pieces) response.write(piece);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port }, resolve).on('error', reject).end();
  });
}

async function lines(incoming: IncomingMessage): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of lineBatchesOf(incoming, limit)) found.push(...batch);
  return found;
}

t.test('an answer beyond the size limit is refused', async (t) => {
  t.equal(await bodyOf(await answer(t, 'x'.repeat(limit)), limit), 'x'.repeat(limit));
  await t.rejects(bodyOf(await answer(t, 'x'.repeat(limit), 'x'), limit), failure('cluster-refused'));
});

t.test('a line of a watch beyond the size limit is refused', async (t) => {
  const long = 'x'.repeat(limit);
  t.strictSame(await lines(await answer(t, '{"a":1}\n{"b"', ':2}\n', `${long}\n${long}\n`, 'end')), [
    '{"a":1}',
    '{"b":2}',
    long,
    long,
    'end',
  ]);
  await t.rejects(lines(await answer(t, '{}\n', long, 'x')), failure('cluster-refused'));
});

t.test('risks of a kubeconfig', async (t) => {
  const kubeconfig = (cluster: object, user: object): string => {
    const named = { clusters: [{ name: 'c', cluster }], users: [{ name: 'u', user }] };
    const contexts = [{ name: 'x', context: { cluster: 'c', user: 'u' } }];
    return JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...named, contexts, 'current-context': 'x' });
  };
  const token = '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"t"}}';
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'echo', args: [token] };
  const open = { server: 'http://127.0.0.1:8080', 'insecure-skip-tls-verify': true };
  const https = 'https://127.0.0.1:6443';
  const table: readonly (readonly [name: string, cluster: object, user: object, cautions: readonly RegExp[]])[] = [
    ['plain', { server: https }, { token: 't' }, []],
    ['proxied', { server: https, 'proxy-url': 'http://127.0.0.1:1' }, { token: 't' }, []],
    ['exec', { server: https }, { exec }, [/runs the program echo/]],
    ['insecure', { server: https, 'insecure-skip-tls-verify': true }, { token: 't' }, [/insecure-skip-tls-verify/]],
    ['open', open, { token: 't' }, [/insecure-skip-tls-verify/, /unencrypted/]],
    ['open and without credentials', open, {}, [/insecure-skip-tls-verify/]],
  ];
  const folder = t.testdir(Object.fromEntries(table.map(([name, cluster, user]) => [name, kubeconfig(cluster, user)])));
  for (const [name, , , cautions] of table) {
    const access = await readAccess(join(folder, name));
    t.equal(access.cautions.length, cautions.length, `${name}: ${access.cautions.join(', ')}`);
    for (const [index, pattern] of cautions.entries()) t.match(access.cautions[index] ?? '', pattern, name);
  }
});

t.test("a command that only reads does not use the caller's KUBECONFIG", async (t) => {
  const folder = t.testdir({ kubeconfig: '{}' });
  const { KUBECONFIG } = process.env;
  t.teardown(() => {
    if (KUBECONFIG === undefined) delete process.env.KUBECONFIG;
    else process.env.KUBECONFIG = KUBECONFIG;
  });
  process.env.KUBECONFIG = join(folder, 'kubeconfig');
  t.equal(await readDaemonSets(), null, 'without a kubeconfig of MicroShift, no daemonsets are read');
});
