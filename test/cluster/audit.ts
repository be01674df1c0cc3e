/** Requests of the pods' accounts in the server's audit log: allowed and forbidden ones. */
import { once } from 'node:events';
import { existsSync, readFileSync, watch } from 'node:fs';
import { dirname } from 'node:path';

const accountPrefix = 'system:serviceaccount:openshift-ovn-kubernetes:';

/**
 * Audit policy that logs every request of the accounts in the namespaces of ovn-kubernetes, and of no other account
 * (audit.k8s.io/v1, Policy).
 */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', userGroups: ['system:serviceaccounts:openshift-ovn-kubernetes'] }, { level: 'None' }],
};

/** Limit that is longer than a busy server needs to log a request that it has answered. */
const writtenLimitMs = 30_000;

interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource: string;
    readonly subresource?: string;
    readonly apiGroup?: string;
    readonly namespace?: string;
  };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Returns requests that were refused for a missing right, each once, such as `ovn-kubernetes-node list secrets`. */
export function forbidden(log: string): string[] {
  return requests(log, (event) => event.annotations?.['authorization.k8s.io/decision'] === 'forbid');
}

/** Returns requests that were allowed, each once, such as `ovn-kubernetes-controller patch nodes/status`. */
export function allowed(log: string): string[] {
  return requests(log, (event) => event.annotations?.['authorization.k8s.io/decision'] === 'allow');
}

/** Waits until these requests are in the log, because the server answers before it logs; returns their entries. */
export async function writtenLog(path: string, auditIds: readonly string[]): Promise<string> {
  const signal = AbortSignal.timeout(writtenLimitMs);
  const watcher = watch(dirname(path));
  try {
    for (;;) {
      const lines = linesOf(existsSync(path) ? readFileSync(path, 'utf8') : '');
      const found = auditIds.flatMap((id) => lines.find((line) => line.includes(id)) ?? []);
      if (found.length === auditIds.length) return `${found.join('\n')}\n`;
      await once(watcher, 'change', { signal });
    }
  } finally {
    watcher.close();
  }
}

function requests(log: string, isMeant: (event: AuditEvent) => boolean): string[] {
  const events = linesOf(log).map((line) => JSON.parse(line) as AuditEvent);
  return [...new Set(events.filter(isMeant).map(inWords))].sort();
}

/** Returns a request as text. A request that names no resource, such as one of discovery, is shown with its path. */
function inWords({ user, verb, objectRef, requestURI }: AuditEvent): string {
  const account = user.username.slice(accountPrefix.length);
  if (objectRef === undefined) return `${account} ${verb} ${requestURI}`;
  const { resource, subresource, apiGroup } = objectRef;
  const group = apiGroup === undefined ? '' : `.${apiGroup}`;
  return `${account} ${verb} ${resource}${group}${subresource === undefined ? '' : `/${subresource}`}`;
}

/** Returns the complete lines of the log, one per event; the server may still be writing the last line. */
function linesOf(log: string): string[] {
  return log.split('\n').slice(0, -1);
}
