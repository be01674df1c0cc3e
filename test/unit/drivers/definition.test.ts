// Follower of objects whose definition is absent at first, with a small HTTPS server in the place of an API server.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { kinds } from '../../../agent/run/overlay/watcher/followed-kinds.ts';
import { makeCertificates } from '../../cluster/certificates.ts';
import {
  clusterPoliciesPath,
  definition,
  definitionName,
  definitionsPath,
} from '../../cluster/cluster-policy-definition.ts';
import { hear, openTestApi } from '../../cluster/following.ts';
import { kubeconfigText } from '../../cluster/kubeconfig-text.ts';

t.test('a definition that is installed, removed and refused', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'definition-'));
  makeCertificates(folder);
  const file = (name: string): string => join(folder, name);
  let state: 'absent' | 'present' | 'refused' = 'absent';
  const requests: string[] = [];
  const watches = new Map<string, ServerResponse>();
  const established = { ...definition, status: { conditions: [{ type: 'Established', status: 'True' }] } };
  const server = createServer({ key: readFileSync(file('server.key')), cert: readFileSync(file('server.crt')) });
  server.on('request', (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://localhost');
    const isWatch = searchParams.get('watch') === 'true';
    requests.push(`${isWatch ? 'watch' : 'list'} ${pathname}`);
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const list = (...items: readonly object[]): object => ({ kind: 'List', metadata: { resourceVersion: '7' }, items });
    if (pathname === clusterPoliciesPath && state !== 'present')
      return answer(state === 'absent' ? 404 : 403, { kind: 'Status', message: state });
    if (isWatch) {
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      watches.set(pathname, response);
      return undefined;
    }
    if (pathname === clusterPoliciesPath) return answer(200, list({ metadata: { name: 'one', resourceVersion: '7' } }));
    t.equal(searchParams.get('fieldSelector'), `metadata.name=${definitionName}`);
    return answer(200, state === 'present' ? list(established) : list());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const access = { server: `https://127.0.0.1:${port}`, caFile: file('ca.crt'), user: { token: 'anyone' } };
  writeFileSync(file('kubeconfig'), kubeconfigText(access));
  const api = openTestApi(file('kubeconfig'));
  t.teardown(() => {
    api.close();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const collection = kinds.find(({ kind }) => kind === 'ClusterNetworkPolicy')?.collection;
  if (collection === undefined) throw new Error('the kind is not followed');
  const heard = hear(api, collection);
  const opened = async (path: string): Promise<ServerResponse> => {
    for (;;) {
      const watch = watches.get(path);
      if (watch !== undefined) return watch;
      await once(server, 'request');
    }
  };
  const say = (watch: ServerResponse, type: string, object: object): void => {
    watch.write(
      `${JSON.stringify({ type, object: { ...object, metadata: { ...definition.metadata, resourceVersion: '8' } } })}\n`,
    );
  };

  await heard.until(({ log }) => log.length === 1, 'the list is empty');
  t.strictSame(heard.log, ['whole ']);
  const watch = await opened(definitionsPath);
  t.strictSame(requests, [`list ${clusterPoliciesPath}`, `list ${definitionsPath}`, `watch ${definitionsPath}`]);
  say(watch, 'ADDED', definition);
  state = 'present';
  say(watch, 'MODIFIED', established);
  await heard.until(({ names }) => names.has('one'), 'the objects are listed');
  t.strictSame(heard.log, ['whole ', 'whole one'], 'no failure is reported meanwhile');
  t.strictSame(requests.slice(3, 4), [`list ${clusterPoliciesPath}`], 'a definition that is not served yet is ignored');

  const following = await opened(clusterPoliciesPath);
  state = 'absent';
  watches.clear();
  following.end();
  following.socket?.destroy();
  // The watch of the present version ends with its server; the list then shows that the definition is gone.
  await heard.until(({ log }) => log.at(-1) === 'whole ', 'the definition is gone');
  t.strictSame(heard.log, ['whole ', 'whole one', 'whole '], 'no failure is reported, and there are no objects');
  say(await opened(definitionsPath), 'ADDED', established);
  state = 'present';
  await heard.until(({ names }) => names.has('one'), 'the definition has returned');
  heard.stop();

  state = 'refused';
  const refused = hear(api, collection);
  await refused.until(({ log }) => log.length > 0, 'the refusal is reported');
  t.match(refused.log[0], /^lost cluster-refused/);
});
