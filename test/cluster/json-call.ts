import { type Agent, request } from 'node:https';

export interface JsonAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the API can answer with any object, and tests assert its fields
  readonly body: any;
  /** Identifier that finds the request in the audit log. */
  readonly auditId: string;
}

interface JsonCall {
  /** Agent of Node.js that keeps connections open, which later requests use again. */
  readonly agent: Agent;
  readonly port: number;
  readonly ca: Buffer;
  readonly token: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly contentType: string;
}

/** Sends one HTTPS request. */
export function jsonCall({ agent, port, ca, token, method, path, body, contentType }: JsonCall): Promise<JsonAnswer> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    'content-type': contentType,
    // Without this header, Node.js sends the body of DELETE with no length, and the server does not read it.
    'content-length': Buffer.byteLength(text),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, ca, method, path, headers, agent }, (incoming) => {
      let answer = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        answer += chunk;
      });
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          body: answer.startsWith('{') ? JSON.parse(answer) : answer,
          auditId: String(incoming.headers['audit-id']),
        }),
      );
      incoming.on('error', reject);
    });
    outgoing.on('error', reject).end(text);
  });
}
