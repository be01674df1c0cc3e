// The kubelet's requests to the API server: JSON calls, and watches.
import { readFileSync } from 'node:fs';
import { Agent, type RequestOptions, request } from 'node:https';

/** An object of the API; each reader declares the parts that it needs. */
// biome-ignore lint/suspicious/noExplicitAny: the API can answer with any object
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly body: Json;
}

export interface Api {
  /** Sends one request; fails only if no answer arrives. */
  call(method: string, path: string, body?: unknown, contentType?: string): Promise<Answer>;
  /** Sends one request; fails unless the answer is a success. */
  must(method: string, path: string, body?: unknown, contentType?: string): Promise<Json>;
  /** Yields the changes of a list after a version, until the server ends the watch. */
  watch(path: string, resourceVersion: string, each: (type: string, object: Json) => void): Promise<void>;
}

/** Returns a client for the server at host:port, with a CA and a token from a folder, like those of a kubeconfig. */
export function openApi(folder: string, server: string): Api {
  const token = readFileSync(`${folder}/token`, 'utf8').trim();
  const [host = '', port = ''] = server.split(':');
  const options: RequestOptions = {
    host,
    port: Number(port),
    ca: readFileSync(`${folder}/ca.crt`),
    agent: new Agent({ keepAlive: true }),
  };
  const start = (method: string, path: string, body: unknown, contentType: string) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': contentType };
    const outgoing = request({ ...options, method, path, headers });
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    return outgoing;
  };
  const call: Api['call'] = (method, path, body, contentType = 'application/json') =>
    new Promise((resolve, reject) => {
      const outgoing = start(method, path, body, contentType).on('error', reject);
      outgoing.on('response', (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        incoming.on('error', reject);
        incoming.on('end', () => {
          resolve({ status: incoming.statusCode ?? 0, body: text.startsWith('{') ? JSON.parse(text) : text });
        });
      });
    });
  return {
    call,
    must: async (method, path, body, contentType) => {
      const answer = await call(method, path, body, contentType);
      if (answer.status < 300) return answer.body;
      throw new Error(`${method} ${path}: ${answer.status} ${answer.body.message ?? answer.body}`);
    },
    watch: (path, resourceVersion, each) =>
      new Promise((resolve, reject) => {
        const question = `${path}?watch=1&resourceVersion=${resourceVersion}`;
        const outgoing = start('GET', question, undefined, 'application/json').on('error', reject);
        outgoing.on('response', (incoming) => {
          let rest = '';
          incoming.setEncoding('utf8').on('data', (chunk: string) => {
            const lines = (rest + chunk).split('\n');
            rest = lines.pop() ?? '';
            for (const line of lines) {
              const { type, object } = JSON.parse(line);
              each(type, object);
            }
          });
          incoming.on('error', reject).on('end', resolve);
        });
      }),
  };
}
