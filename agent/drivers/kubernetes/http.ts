import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';

/** How to reach a cluster and who we are there. */
export interface Access {
  readonly path: string;
  readonly server: URL;
  /** TLS and authentication, ready for a request. */
  readonly options: RequestOptions;
}

/** An HTTP request to the API server, and where its answer's bytes go. */
export interface HttpCall {
  readonly method: 'GET' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** Opens a call; resolves with the answer's head. Rejects with Node's own error, which errors.ts names. */
export function openCall(access: Access, call: HttpCall): Promise<IncomingMessage> {
  const url = new URL(access.server.pathname.replace(/\/$/, '') + call.path, access.server);
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value);
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const headers = {
    ...access.options.headers,
    accept: 'application/json',
    'user-agent': 'microshift-net',
    ...(body === undefined
      ? {}
      : { 'content-type': call.contentType ?? 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  const open = url.protocol === 'http:' ? httpRequest : httpsRequest;
  return new Promise((resolve, reject) => {
    const outgoing = open(url, {
      ...access.options,
      method: call.method,
      headers,
      signal: call.signal,
    });
    outgoing.on('response', resolve).on('error', reject).end(body);
  });
}

/** The whole body as text. Rejects when the server went away in the middle. */
export async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
