// Proxy between a client and kube-apiserver that answers with errors, delays requests and cuts connections, as a
// network, a load balancer or a busy server can.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { ApiServer } from './api-server.ts';
import { createWaiting } from './waiting.ts';

export interface GoBetween {
  /** URL of the proxy for a kubeconfig. */
  readonly server: string;
  /** Every request so far, with its method and path. */
  readonly requests: readonly Seen[];
  /**
   * Answers in the place of the API server whenever `answer` returns a refusal. With null, the API server answers
   * again.
   */
  refuse(answer: ((seen: Seen) => Refusal | null) | null): void;
  /** Holds back all answers of the API server, and ends no connection. */
  silence(): void;
  speak(): void;
  /** Cuts all open connections. */
  cut(): void;
  /** Resolves when a condition is true after a request or the beginning of an answer; rejects after a minute. */
  until(isSo: (requests: readonly Seen[]) => boolean, what: string): Promise<void>;
}

export interface Seen {
  readonly method: string;
  readonly url: URL;
  /** True as soon as the API server has begun its answer; it answers the request for a watch when the watch begins. */
  readonly isAnswered: boolean;
}

export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts a proxy that ends with the test. */
export async function goBetween(t: Test, api: ApiServer): Promise<GoBetween> {
  const file = (name: string): Buffer => readFileSync(join(api.folder, name));
  const requests: Seen[] = [];
  const waiting = createWaiting();
  const underWay = new Set<{ readonly upstream: IncomingMessage; readonly response: ServerResponse }>();
  let refusal: ((seen: Seen) => Refusal | null) | null = null;
  let isSilent = false;
  const server = createServer({ cert: file('server.crt'), key: file('server.key') }, (incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    const seen = { method, url: new URL(url, 'https://127.0.0.1'), isAnswered: false };
    requests.push(seen);
    waiting.look();
    const refused = refusal?.(seen) ?? null;
    if (refused !== null) {
      incoming.resume();
      response.writeHead(refused.status, { 'content-type': 'text/plain', ...refused.headers }).end('not now');
      return;
    }
    const options = { host: '127.0.0.1', port: api.port, ca: file('ca.crt'), method, path: url, headers, agent: false };
    const outgoing = request(options, (upstream) => {
      response.writeHead(upstream.statusCode ?? 0, upstream.headers).flushHeaders();
      seen.isAnswered = true;
      waiting.look();
      const pair = { upstream, response };
      underWay.add(pair);
      if (isSilent) upstream.pause();
      else upstream.pipe(response);
      upstream.on('error', () => response.destroy()).on('close', () => underWay.delete(pair));
      response.on('close', () => upstream.destroy());
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    refuse: (answer) => {
      refusal = answer;
    },
    silence: () => {
      isSilent = true;
      for (const { upstream, response } of underWay) upstream.unpipe(response);
    },
    speak: () => {
      isSilent = false;
    },
    cut: () => server.closeAllConnections(),
    until: (isSo, what) =>
      waiting.until(
        () => isSo(requests),
        () =>
          `${what}; asked was:\n${requests.map(({ method, url }) => `${method} ${url.pathname}${url.search}`).join('\n')}`,
      ),
  };
}
