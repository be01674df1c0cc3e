import { request } from 'node:https';

export interface JsonAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the API can answer with any object, and tests assert its fields
  readonly body: any;
  /** Identifier that finds the request in the audit log. */
  readonly auditId: string;
}

interface JsonCall {
  readonly port: number;
  readonly ca: Buffer;
  readonly token: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly contentType: string;
}

/** Sends one HTTPS request on a separate connection. */
export function jsonCall({ port, ca, token, method, path, body, contentType }: JsonCall): Promise<JsonAnswer> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': contentType };
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, ca, method, path, headers, agent: false }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          body: text.startsWith('{') ? JSON.parse(text) : text,
          auditId: String(incoming.headers['audit-id']),
        }),
      );
      incoming.on('error', reject);
    });
    outgoing.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}
