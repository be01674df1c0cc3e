import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { AgentError } from '../../errors.ts';

/** Address of a cluster's API server, with the credentials for it. */
export interface Access {
  readonly path: string;
  readonly server: URL;
  /** TLS and authentication options of a request. */
  readonly options: RequestOptions;
  /** Parts of sentences about risky settings of the kubeconfig; each completes `the kubeconfig PATH …`. */
  readonly cautions: readonly string[];
}

/**
 * Size limit of an answer, in bytes. An object has at most 1.5 MiB (etcd, --max-request-bytes), and lists are read in
 * pages; a longer answer would only use up the node's memory.
 */
const longestAnswerBytes = 64 * 1024 * 1024;

/** An HTTP request to the API server. */
export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  /** Accept header; absent if the object is requested as JSON. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Size limit of the answer in bytes; absent for 64 MiB. */
  readonly longestBytes?: number;
}

/** Answer of the API server; `body` is parsed if it is JSON. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** Delay that the server asks for, in ms; null if it asks for none. */
  readonly retryAfterMs: number | null;
}

/**
 * Sends a request; resolves when the status and the headers of the answer have arrived. Rejects with an error of
 * Node.js, which kubernetes-errors.ts converts.
 */
export function openCall(access: Access, call: HttpCall): Promise<IncomingMessage> {
  const url = new URL(access.server.pathname.replace(/\/$/, '') + call.path, access.server);
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value);
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const headers = {
    ...access.options.headers,
    accept: call.accept ?? 'application/json',
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
    const failed = (error: NodeJS.ErrnoException): void => {
      // If the server closed the idle connection at the moment of its reuse, the request is sent again, which is safe
      // for every request of the agent.
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(openCall(access, call));
      else reject(error);
    };
    outgoing.on('response', resolve).on('error', failed).end(body);
  });
}

/**
 * Returns the whole body of an answer as text. Rejects if the connection ends before the body does, and if the body is
 * too long.
 */
export async function bodyOf(incoming: IncomingMessage, limitBytes = longestAnswerBytes): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    length += (chunk as Buffer).length;
    if (length > limitBytes) throw tooLong();
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Yields the lines of an answer's body as they arrive, in batches that are never empty. Rejects if the connection ends
 * before the body does, and if one line is too long.
 */
export async function* lineBatchesOf(
  incoming: IncomingMessage,
  limitBytes = longestAnswerBytes,
): AsyncGenerator<readonly string[]> {
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of incoming.setEncoding('utf8')) {
    const [first = '', ...more] = String(chunk).split('\n');
    parts.push(first);
    length += first.length;
    const last = more.pop();
    if (last !== undefined) {
      const lines = [parts.join(''), ...more];
      parts = [last];
      length = last.length;
      yield lines;
    }
    if (length > limitBytes) throw tooLong();
  }
  if (length > 0) yield [parts.join('')];
}

/**
 * Returns the delay that a busy server asks for, in ms (RFC 9110 section 10.2.3); null if the header Retry-After is
 * absent or contains a date.
 */
export function retryAfterMsOf({ headers }: Pick<IncomingMessage, 'headers'>): number | null {
  const seconds = headers['retry-after'] ?? '';
  return /^[0-9]{1,6}$/.test(seconds) ? Number(seconds) * 1000 : null;
}

function tooLong(): AgentError {
  return new AgentError('cluster-refused', 'the API server sends more than can be an answer', {
    hint: 'check that the kubeconfig names an API server',
    facts: { isTooLong: true },
  });
}
