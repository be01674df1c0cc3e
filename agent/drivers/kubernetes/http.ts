import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { AgentError } from '../../errors.ts';

/** How to reach a cluster and who we are there. */
export interface Access {
  readonly path: string;
  readonly server: URL;
  /** TLS and authentication, ready for a request. */
  readonly options: RequestOptions;
  /** What the kubeconfig does that not everybody would want, each as the end of a sentence. */
  readonly cautions: readonly string[];
}

/** An object has 1.5 MiB at most (etcd, --max-request-bytes), and one namespace is listed; what is longer would only cost the node its memory. */
const longestAnswerBytes = 64 * 1024 * 1024;

/** An HTTP request to the API server, and where its answer's bytes go. */
export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  /** What the answer shall be; absent: the object as JSON. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Most bytes of the answer; absent: 64 MiB. */
  readonly longestBytes?: number;
}

/** What the API server answered; `body` is parsed where it is JSON. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** How long it wants to be left alone; null: it says nothing of that. */
  readonly retryAfterMs: number | null;
}

/** Opens a call; resolves with the answer's head. Rejects with Node's own error, which errors.ts names. */
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
      // The server closed a connection that was idle just as we used it. Whatever we ask for can be asked for twice.
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(openCall(access, call));
      else reject(error);
    };
    outgoing.on('response', resolve).on('error', failed).end(body);
  });
}

/** The whole body as text. Rejects when the server went away in the middle, and when it is too long. */
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

/** The lines of a body as they come, those together that came at once; never none. Rejects as bodyOf does, when one line is too long. */
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

/** How long a server that is busy wants to be left alone (RFC 9110 section 10.2.3); null: it says nothing of that in seconds. */
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
