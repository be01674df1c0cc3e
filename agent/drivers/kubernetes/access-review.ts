import { Agent } from 'node:https';
import { fieldAt } from '../../model/kubernetes/object.ts';
import { readAccess } from './kubeconfig.ts';
import { sendOnce } from './send.ts';

/**
 * Time limit for one request. An API server answers in milliseconds. The limit is short, because the caller, which
 * examines a node, can continue without an answer.
 */
const answerMs = 3_000;

/**
 * Returns true if the credentials of a kubeconfig allow every operation on every object, like the credentials of an
 * administrator; otherwise false. The API server decides this (Kubernetes, SelfSubjectAccessReview, which every user
 * may create). Returns null if the kubeconfig cannot be used, or if the API server refuses the request or does not
 * answer.
 */
export async function mayDoAnything(kubeconfig: string): Promise<boolean | null> {
  const access = await readAccess(kubeconfig).catch(() => null);
  if (access === null) return null;
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { verb: '*', group: '*', resource: '*' } },
  };
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  try {
    const { status, body: answer } = await sendOnce(access, { method: 'POST', path, body }, answerMs);
    return status === 201 ? fieldAt(answer, 'status', 'allowed') === true : null;
  } catch {
    return null;
  } finally {
    if (access.options.agent instanceof Agent) access.options.agent.destroy();
  }
}
