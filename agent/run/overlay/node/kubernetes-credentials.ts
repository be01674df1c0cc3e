import { existsSync } from 'node:fs';
import { mayDoAnything } from '../../../drivers/kubernetes/access-review.ts';
import { kubeconfigPath } from '../../../drivers/kubernetes/kubeconfig.ts';
import type { OverlayCredentials } from '../../../model/examination.ts';

/**
 * Determines whether the daemon has more rights in Kubernetes than it needs: those of a cluster administrator.
 * `configured` is the kubeconfig of ovn.yaml; null if the default locations are used. Returns null if the
 * kubeconfig does not exist, or if the API server does not answer.
 */
export async function readCredentials(configured: string | null): Promise<OverlayCredentials | null> {
  const kubeconfig = kubeconfigPath(configured, process.env);
  const isAdministrator = existsSync(kubeconfig) ? await mayDoAnything(kubeconfig) : null;
  if (isAdministrator === null) return null;
  return { kubeconfig, complaint: isAdministrator ? complaintAbout(kubeconfig) : null };
}

/**
 * Returns one sentence if the daemon has the rights of a cluster administrator, which it does not need; otherwise an
 * empty list.
 */
export async function credentialNotices(configured: string | null): Promise<readonly string[]> {
  const { complaint = null } = (await readCredentials(configured)) ?? {};
  return complaint === null ? [] : [`${complaint.message}; ${complaint.hint}`];
}

function complaintAbout(kubeconfig: string): NonNullable<OverlayCredentials['complaint']> {
  return {
    message: `the daemon works with the rights of an administrator of Kubernetes (${kubeconfig})`,
    hint: 'fewer are enough: docs/use/overlay-trust.md, and /usr/share/microshift-net/overlay-access.yaml',
  };
}
