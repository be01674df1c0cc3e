// API server that stores objects in memory and serves them over HTTPS, with the functions that the driver uses: pages
// of lists, watches, patches of pods, and Events. It is for measurements in which the measured process must not contain
// the objects of the server.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificates } from '../cluster/certificates.ts';
import type { Scope } from './children.ts';
import type { StoredObject } from './stored-api.ts';

export interface ServedApi {
  /** Port on the loopback interface. */
  readonly port: number;
  readonly kubeconfig: string;
  put(plural: string, object: StoredObject): void;
  remove(plural: string, key: string): void;
  /** Resolves with the note of an Event with this reason, which may exist already. */
  event(reason: string): Promise<string>;
}

/** Collection: its objects with their versions, as text, and the open watches. */
interface Collection {
  readonly objects: Map<string, { readonly object: StoredObject; readonly version: number }>;
  readonly watches: Set<ServerResponse>;
}

/**
 * Serves the API until the scope ends. A watch begins at the present, which suffices for a client that lists before.
 */
export async function serveApi(scope: Scope): Promise<ServedApi> {
  const folder = mkdtempSync(join(tmpdir(), 'served-api-'));
  makeCertificates(folder);
  const file = (name: string): string => join(folder, name);
  const collections = new Map<string, Collection>();
  const lists = new Map<string, readonly StoredObject[]>();
  let version = 1;
  const events = new Map<string, string>();
  const listeners = new Set<() => void>();

  const collectionOf = (plural: string): Collection => {
    const known = collections.get(plural) ?? { objects: new Map(), watches: new Set() };
    collections.set(plural, known);
    return known;
  };
  const put = (plural: string, object: StoredObject): StoredObject => {
    const { objects, watches } = collectionOf(plural);
    const key = keyOf(object);
    const type = objects.has(key) ? 'MODIFIED' : 'ADDED';
    version += 1;
    const now = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    objects.set(key, { object: now, version });
    const line = `${JSON.stringify({ type, object: now })}\n`;
    for (const watch of watches) watch.write(line);
    return now;
  };
  const list = (plural: string, query: URLSearchParams): object => {
    const [token = '', from = '0'] = (query.get('continue') ?? '').split(':');
    const all = lists.get(token) ?? Array.from(collectionOf(plural).objects.values(), ({ object }) => object);
    const [first, limit] = [Number(from), Number(query.get('limit') ?? all.length)];
    const hasMore = first + limit < all.length;
    const name = token === '' ? `${plural}-${version}` : token;
    if (hasMore) lists.set(name, all);
    else lists.delete(name);
    const metadata = { resourceVersion: String(version), ...(hasMore && { continue: `${name}:${first + limit}` }) };
    return { kind: 'List', metadata, items: all.slice(first, first + limit) };
  };
  const server = createServer({ key: readFileSync(file('server.key')), cert: readFileSync(file('server.crt')) });
  server.on('request', (request, response) => {
    void (async () => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'https://localhost');
      const words = pathname.split('/').slice(pathname.startsWith('/apis/') ? 4 : 3);
      const [plural = '', name] = words[0] === 'namespaces' && words.length > 2 ? words.slice(2) : words;
      const answer = (status: number, body: object): void => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      };
      if (request.method === 'POST') {
        const event = JSON.parse(await textOf(request)) as { readonly reason: string; readonly note: string };
        events.set(event.reason, event.note);
        answer(201, event);
        for (const listener of [...listeners]) listener();
      } else if (request.method === 'PATCH') {
        const { metadata } = JSON.parse(await textOf(request)) as Partial<StoredObject>;
        // A Node has no namespace, and its annotations are written through its status.
        const key = plural === 'nodes' ? (name ?? '') : `${words[1]}/${name}`;
        const found = collectionOf(plural).objects.get(key)?.object;
        if (found === undefined) return answer(404, { kind: 'Status', message: 'not found' });
        const written = metadata?.annotations ?? {};
        const annotations = { ...found.metadata.annotations, ...written };
        const status = plural === 'nodes' ? found.status : runningWith(written);
        put(plural, { ...found, metadata: { ...found.metadata, annotations }, status });
        answer(200, { kind: 'PartialObjectMetadata' });
      } else if (searchParams.get('watch') === 'true') {
        response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
        const { objects, watches } = collectionOf(plural);
        const since = Number(searchParams.get('resourceVersion'));
        for (const { object, version: at } of objects.values())
          if (at > since) response.write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
        watches.add(response);
        response.on('close', () => watches.delete(response));
      } else answer(200, list(plural, searchParams));
      return undefined;
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  scope.teardown(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { port } = server.address() as AddressInfo;
  const cluster = { server: `https://127.0.0.1:${port}`, 'certificate-authority': file('ca.crt') };
  writeFileSync(
    file('kubeconfig'),
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { token: 'anyone' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  );
  return {
    port,
    kubeconfig: file('kubeconfig'),
    put: (plural, object) => void put(plural, object),
    remove: (plural, key) => {
      const { objects, watches } = collectionOf(plural);
      const gone = objects.get(key)?.object;
      if (gone === undefined || !objects.delete(key)) return;
      version += 1;
      const object = { ...gone, metadata: { ...gone.metadata, resourceVersion: String(version) } };
      for (const watch of watches) watch.write(`${JSON.stringify({ type: 'DELETED', object })}\n`);
    },
    event: (reason) =>
      new Promise((resolve) => {
        const look = (): void => {
          const note = events.get(reason);
          if (note === undefined) return;
          listeners.delete(look);
          resolve(note);
        };
        listeners.add(look);
        look();
      }),
  };
}

/**
 * Returns the status that the kubelet reports when the pod has started with the addresses that these annotations give
 * it.
 */
function runningWith(annotations: Readonly<Record<string, string>>): object {
  const networks = JSON.parse(annotations['k8s.ovn.org/pod-networks'] ?? '{}') as {
    readonly default?: { readonly ip_addresses: readonly string[] };
  };
  const podIPs = (networks.default?.ip_addresses ?? []).map((address) => ({ ip: address.replace(/\/.*/, '') }));
  return { phase: 'Running', podIPs };
}

function keyOf({ metadata }: StoredObject): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
