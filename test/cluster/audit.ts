/**
 * Requests of the pods' accounts to an API server, and those of them that were forbidden, from the server's audit log.
 */
import { once } from 'node:events';
import { existsSync, readFileSync, watch } from 'node:fs';
import { dirname } from 'node:path';

const accountPrefix = 'system:serviceaccount:openshift-ovn-kubernetes:';

/** Every request of the accounts in our namespace, and of no other account (audit.k8s.io/v1, Policy). */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', userGroups: ['system:serviceaccounts:openshift-ovn-kubernetes'] }, { level: 'None' }],
};

/** Longer than a server under load takes to write down what it has answered. */
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

/** Requests that were refused because a right is missing, each once: `ovn-kubernetes-node list secrets`. */
export function forbidden(log: string): string[] {
  return requests(log, (event) => event.annotations?.['authorization.k8s.io/decision'] === 'forbid');
}

/** Requests that were allowed, each once: `ovn-kubernetes-controller patch nodes/status`. */
export function allowed(log: string): string[] {
  return requests(log, (event) => event.annotations?.['authorization.k8s.io/decision'] === 'allow');
}

/**
 * The server answers before it has written that down: waits until these requests are in the log, and gives what it says
 * of them.
 */
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

/** Discovery and other paths without a resource are open to every account, and are recognized by their path. */
function inWords({ user, verb, objectRef, requestURI }: AuditEvent): string {
  const account = user.username.slice(accountPrefix.length);
  if (objectRef === undefined) return `${account} ${verb} ${requestURI}`;
  const { resource, subresource, apiGroup } = objectRef;
  const group = apiGroup === undefined ? '' : `.${apiGroup}`;
  return `${account} ${verb} ${resource}${group}${subresource === undefined ? '' : `/${subresource}`}`;
}

/** A line per event; the last may still be in writing. */
function linesOf(log: string): string[] {
  return log.split('\n').slice(0, -1);
}
