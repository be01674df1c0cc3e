import { createHash } from 'node:crypto';
import { Agent } from 'node:https';
import type { Access } from './http.ts';
import { kubeconfigPath, readAccess } from './kubeconfig.ts';

/** Kubeconfig of a long-running process. The file may appear late, and its contents may change. */
export interface AccessSource {
  /**
   * Returns the access from the last read. Reads the file if it has not been read yet, or if `doubt` was called.
   * Rejects as readAccess does.
   */
  current(): Promise<Access>;
  /** Makes the next use read the kubeconfig again, because the access failed or is old. */
  doubt(): void;
  close(): void;
}

/** Makes the source of a kubeconfig. `say` receives each caution about the kubeconfig once. */
export function createAccessSource(kubeconfig: string | null, say: (message: string) => void): AccessSource {
  let known: { readonly access: Access; readonly print: string } | null = null;
  let isDoubted = false;
  let reading: Promise<Access> | null = null;
  const reported = new Set<string>();

  const read = async (): Promise<Access> => {
    const path = kubeconfigPath(kubeconfig, process.env);
    // Each followed collection holds a connection of its own.
    const access = await readAccess(path, Number.POSITIVE_INFINITY);
    isDoubted = false;
    const print = printOf(access);
    if (known?.print === print) {
      disconnect(access);
      return known.access;
    }
    // The end of the old connections makes requests with the previous credentials start again with the new ones.
    if (known !== null) disconnect(known.access);
    known = { access, print };
    for (const caution of access.cautions) {
      if (!reported.has(caution)) say(`the kubeconfig ${path} ${caution}`);
      reported.add(caution);
    }
    return access;
  };

  return {
    current: () => {
      if (known !== null && !isDoubted) return Promise.resolve(known.access);
      reading ??= read()
        .catch((error) => {
          // The file may be written partially at the moment, and its previous contents may still be valid.
          if (known === null) throw error;
          return known.access;
        })
        .finally(() => {
          reading = null;
        });
      return reading;
    },
    doubt: () => {
      isDoubted = true;
    },
    close: () => {
      if (known !== null) disconnect(known.access);
    },
  };
}

function disconnect({ options }: Access): void {
  if (options.agent instanceof Agent) options.agent.destroy();
}

/** Returns a digest of the server and the credentials, to detect changes. The credentials cannot be read from it. */
function printOf({ server, options }: Access): string {
  const { ca, cert, key, servername, auth, headers } = options;
  const parts = [server.href, ca, cert, key, servername, auth, headers].map((part) =>
    Buffer.isBuffer(part) ? part.toString('base64') : (part ?? null),
  );
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
