import { Agent } from 'node:https';
import { AgentError } from '../../errors.ts';
import { fieldAt, fieldManager, type KubernetesObject, referenceOf, titleOf } from '../../model/kubernetes/object.ts';
import { collectionCall, objectPath } from '../../model/kubernetes/object-kinds.ts';
import type { Cluster } from './cluster-port.ts';
import type { Access, Answer, HttpCall } from './http.ts';
import { kubeconfigPath, readAccess, refuseUnnamed } from './kubeconfig.ts';
import { statusError } from './kubernetes-errors.ts';
import { persistently, type RetryBudget } from './retry.ts';
import { sendOnce } from './send.ts';
import { follow } from './watch.ts';

/** Longest time limit of a request. A limit above the API server's own (60 s) would only hide a server that hangs. */
const longestRequestMs = 30_000;
/**
 * Shortest time limit of a request, even if less time remains. A server whose etcd hangs takes 4 s to answer that it is
 * not ready.
 */
const shortestRequestMs = 6_000;

/**
 * Reads a kubeconfig and returns the functions that use its cluster. A call that fails because the cluster is starting
 * is tried again until the time in `budget` is over. On a node without MicroShift, the function does not wait for a
 * kubeconfig that only MicroShift would write.
 */
export async function openCluster(
  kubeconfig: string | null,
  budget: RetryBudget,
  hasMicroshift: boolean,
): Promise<Cluster> {
  const path = kubeconfigPath(kubeconfig, process.env);
  if (!hasMicroshift) refuseUnnamed(path);
  let asked = 0;
  let access = await persistently(budget, () => readAccess(path));
  for (const caution of access.cautions) budget.warn(`the kubeconfig ${path} ${caution}`);
  const send = (call: HttpCall): Promise<Answer> => sendOnce(access, call, requestLimitMs(budget), budget.signal);
  const ask = (doing: string, call: HttpCall, accepted: readonly number[] = [200]): Promise<Answer> =>
    persistently(budget, async () => {
      const answer = await send(call);
      if (accepted.includes(answer.status)) return answer;
      throw statusError(access, answer.status, answer.body, doing);
    });

  return {
    server: access.server.href,
    ready: () =>
      persistently(budget, async () => {
        // Each further try reads the kubeconfig again, because MicroShift may have issued new certificates during the
        // wait.
        if (asked++ > 0) access = await refreshed(access, path);
        const { status, body } = await send({ method: 'GET', path: '/readyz' });
        if (status === 500) throw notReady(access, String(body));
        if (status !== 200 && status !== 403) throw statusError(access, status, body, 'say whether it is ready');
      }),
    apply: async (object, { dryRun, force }) => {
      const call = applyCall(object, dryRun, force);
      return (await ask(`apply ${titleOf(referenceOf(object))}`, call, [200, 201])).body as KubernetesObject;
    },
    get: async (reference) => {
      const doing = `read ${titleOf(reference)}`;
      const answer = await ask(doing, { method: 'GET', path: pathOf(objectPath(reference)) }, [200, 404]);
      return answer.status === 404 ? null : (answer.body as KubernetesObject);
    },
    list: async (collection) => {
      const { body } = await ask(`list ${collection.plural}`, { method: 'GET', ...collectionCall(collection) });
      const items = (fieldAt(body, 'items') ?? []) as KubernetesObject[];
      const kind = String(fieldAt(body, 'kind') ?? '').replace(/List$/, '');
      // apiVersion and kind are added, because the server leaves them out of the items of a list.
      const complete = items.map((item) => ({ ...item, apiVersion: collection.apiVersion, kind }));
      return { items: complete, resourceVersion: String(fieldAt(body, 'metadata', 'resourceVersion')) };
    },
    remove: async (reference) => {
      // With the policy Background, the server deletes an owner first and its dependents afterwards, so that no
      // dependent can block the deletion of its owner.
      const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
      const call: HttpCall = { method: 'DELETE', path: pathOf(objectPath(reference)), body };
      await ask(`delete ${titleOf(reference)}`, call, [200, 202, 404, 409]);
    },
    watch: (collection, from, limitMs, onEvent, signal) => {
      const { path: collectionUrl, query } = collectionCall(collection);
      const options = { watch: 'true', resourceVersion: from, timeoutSeconds: String(Math.ceil(limitMs / 1000)) };
      const call: HttpCall = {
        method: 'GET',
        path: collectionUrl,
        query: { ...query, ...options },
        signal: signal === undefined ? budget.signal : AbortSignal.any([budget.signal, signal]),
      };
      return follow(access, call, limitMs, onEvent);
    },
    close: () => {
      if (access.options.agent instanceof Agent) access.options.agent.destroy();
    },
  };
}

/**
 * Returns the time limit of one request. If the server hangs, the request ends soon after the time in `budget` is over.
 */
function requestLimitMs({ limitMs, end }: RetryBudget): number {
  if (limitMs === 0) return longestRequestMs;
  return Math.min(longestRequestMs, Math.max(shortestRequestMs, Math.ceil(end - performance.now())));
}

function applyCall(object: KubernetesObject, dryRun: boolean, force: boolean): HttpCall {
  return {
    method: 'PATCH',
    path: pathOf(objectPath(referenceOf(object))),
    query: {
      fieldManager,
      force: String(force),
      // The server has to reject an unknown or duplicate field instead of dropping it, because such a field is a defect
      // of the agent.
      fieldValidation: 'Strict',
      ...(dryRun ? { dryRun: 'All' } : {}),
    },
    contentType: 'application/apply-patch+yaml',
    body: object,
  };
}

function pathOf(path: string | null): string {
  if (path === null) throw new Error('a kind that agent/model/kubernetes/object-kinds.ts does not list');
  return path;
}

async function refreshed(access: Access, path: string): Promise<Access> {
  try {
    return await readAccess(path);
  } catch {
    return access;
  }
}

function notReady(access: Access, report: string): AgentError {
  const failing = report.split('\n').flatMap((line) => /^\[-\](\S+)/.exec(line)?.[1] ?? []);
  const more = failing.length > 2 ? ` and ${failing.length - 2} more` : '';
  const what = failing.length === 0 ? '' : `: ${failing.slice(0, 2).join(', ')}${more}`;
  return new AgentError('cluster-not-ready', `the API server at ${access.server.host} is not ready${what}`, {
    hint: 'wait for it, or look at journalctl -u microshift',
    facts: { failing },
  });
}
