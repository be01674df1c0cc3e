import { createHash } from 'node:crypto';
import { Agent } from 'node:https';
import type { Access } from './http.ts';
import { kubeconfigPath, readAccess } from './kubeconfig.ts';

/** The kubeconfig of a process that lives for months: it may come late, and what it says may change. */
export interface AccessSource {
  /** What it said when it was read last; read where it was not yet, or is doubted. Rejects as readAccess does. */
  current(): Promise<Access>;
  /** It was of no use, or is old: it is read again before it is used next. */
  doubt(): void;
  close(): void;
}

/** `say` is told what the kubeconfig does that not everybody would want, once for each. */
export function createAccessSource(kubeconfig: string | null, say: (message: string) => void): AccessSource {
  let known: { readonly access: Access; readonly print: string } | null = null;
  let isDoubted = false;
  let reading: Promise<Access> | null = null;
  const told = new Set<string>();

  const read = async (): Promise<Access> => {
    const path = kubeconfigPath(kubeconfig, process.env);
    // Each collection that is followed holds a connection of its own.
    const access = await readAccess(path, Number.POSITIVE_INFINITY);
    isDoubted = false;
    const print = printOf(access);
    if (known?.print === print) {
      disconnect(access);
      return known.access;
    }
    // Whatever still goes on with the credentials of before begins anew with these.
    if (known !== null) disconnect(known.access);
    known = { access, print };
    for (const caution of access.cautions) {
      if (!told.has(caution)) say(`the kubeconfig ${path} ${caution}`);
      told.add(caution);
    }
    return access;
  };

  return {
    current: () => {
      if (known !== null && !isDoubted) return Promise.resolve(known.access);
      reading ??= read()
        .catch((error) => {
          // It may be half written, and what it said before may still hold.
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

/** The same text for the same server and the same credentials; nobody can read them from it. */
function printOf({ server, options }: Access): string {
  const { ca, cert, key, servername, auth, headers } = options;
  const parts = [server.href, ca, cert, key, servername, auth, headers].map((part) =>
    Buffer.isBuffer(part) ? part.toString('base64') : (part ?? null),
  );
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
