// Requests to a kube-apiserver from a few clients that keep their connections, and its watches.
import { Agent, request } from 'node:https';
import { createInterface, type Interface } from 'node:readline';

/** Address of the API server, and the credentials of the client. */
export interface ApiAddress {
  readonly host: string;
  readonly port: number;
  readonly ca: Buffer;
  readonly token: string;
}

export interface WatchEvent {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: any object of the API
  readonly object: any;
}

export interface Api {
  /** Sends a request; rejects for every answer that is an error. */
  send(method: string, path: string, body?: unknown, contentType?: string): Promise<void>;
  /** Follows a collection from its beginning; resolves when the watch has begun. `close` ends it. */
  watch(path: string, listener: (event: WatchEvent) => void): Promise<void>;
  close(): void;
}

/** Opens a client of the API that sends at most `clients` requests at the same time; further ones wait. */
export function openApi({ host, port, ca, token }: ApiAddress, clients: number): Api {
  const agent = new Agent({ keepAlive: true, maxSockets: clients, ca });
  const watching = new Agent({ keepAlive: true, ca });
  const stream = (path: string): Promise<Interface> =>
    new Promise((resolve, reject) => {
      const words = { host, port, path: `${path}?watch=true`, agent: watching, headers };
      const outgoing = request(words, (incoming) => {
        if (incoming.statusCode !== 200) return reject(new Error(`watch of ${path}: ${incoming.statusCode}`));
        const lines = createInterface({ input: incoming });
        // The server may close the connection, which is not an error.
        lines.on('error', () => {});
        resolve(lines);
      });
      outgoing.on('error', reject).end();
    });
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  return {
    send: (method, path, body, contentType = 'application/json') =>
      new Promise((resolve, reject) => {
        const outgoing = request(
          { host, port, method, path, agent, headers: { ...headers, 'content-type': contentType } },
          (incoming) => {
            const isError = (incoming.statusCode ?? 0) >= 300;
            let text = '';
            incoming.on('data', (chunk: Buffer) => {
              if (isError) text += String(chunk);
            });
            incoming.on('end', () => {
              if (isError) reject(new Error(`${method} ${path}: ${incoming.statusCode} ${text}`));
              else resolve();
            });
          },
        );
        outgoing.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
      }),
    watch: async (path, listener) => {
      const lines = await stream(path);
      lines.on('line', (line) => listener(JSON.parse(line)));
    },
    close: () => {
      agent.destroy();
      watching.destroy();
    },
  };
}
