import { createHash } from 'node:crypto';
import { Agent } from 'node:https';
import type { Access } from './http.ts';
import { kubeconfigPath, readAccess } from './kubeconfig.ts';

/**
 * Source of the access that a kubeconfig describes, for a long-running process. The file may be created later, and its
 * contents may change.
 */
export interface AccessSource {
  /**
   * Returns the server and the credentials of the last successful read. Reads the file if it has not been read yet, or
   * if `doubt` was called. If no read has succeeded, rejects with `kubeconfig-missing` if MicroShift's own kubeconfig
   * does not exist yet, otherwise with `kubeconfig-unusable`.
   */
  current(): Promise<Access>;
  /**
   * Makes the next call of `current` read the kubeconfig again, because a request has failed or the last read was long
   * ago.
   */
  doubt(): void;
  close(): void;
}

/** Creates the source of access for a kubeconfig. `say` receives each caution about the kubeconfig once. */
export function createAccessSource(kubeconfig: string | null, say: (message: string) => void): AccessSource {
  let known: { readonly access: Access; readonly print: string } | null = null;
  let isDoubted = false;
  let reading: Promise<Access> | null = null;
  const reported = new Set<string>();

  const read = async (): Promise<Access> => {
    const path = kubeconfigPath(kubeconfig, process.env);
    // The number of connections is not limited, because each watch of a collection occupies one.
    const access = await readAccess(path, Number.POSITIVE_INFINITY);
    isDoubted = false;
    const print = printOf(access);
    if (known?.print === print) {
      disconnect(access);
      return known.access;
    }
    // The connections with the previous credentials are closed; requests on them are repeated with the new credentials.
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
          // The kubeconfig may be incomplete at this moment. The previous credentials may still be valid, so they stay
          // in use.
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

/**
 * Returns a digest of the server and the credentials, by which a change is noticed. It does not reveal the credentials.
 */
function printOf({ server, options }: Access): string {
  const { ca, cert, key, servername, auth, headers } = options;
  const parts = [server.href, ca, cert, key, servername, auth, headers].map((part) =>
    Buffer.isBuffer(part) ? part.toString('base64') : (part ?? null),
  );
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
