import { existsSync } from 'node:fs';
import { mayDoAnything } from '../../drivers/kubernetes/access-review.ts';
import { kubeconfigPath } from '../../drivers/kubernetes/kubeconfig.ts';
import type { Config } from '../../model/config.ts';
import type { PlannedNode } from './planned.ts';

/** What an administrator should know although it is no drift and has no effect on the plan; each is a sentence. */
export async function noticesOf(
  { strangers, certificates: { waiting, refused } }: PlannedNode,
  config: Pick<Config, 'overlay'>,
): Promise<readonly string[]> {
  return [
    ...(await administratorNotices(config)),
    ...refused,
    ...strangers.map(
      (one) => `${one}; it has no effect. Where its machine still runs, run there: microshift-net overlay leave`,
    ),
    ...(waiting.length === 0
      ? []
      : [`the authority is being replaced; without a certificate of the new one: ${waiting.join(', ')}`]),
  ];
}

/** Credentials with which the daemon may do everything in Kubernetes, which it need not. Nothing where no API server answers. */
async function administratorNotices({ overlay }: Pick<Config, 'overlay'>): Promise<readonly string[]> {
  const path = kubeconfigPath(overlay.kubeconfig.value, process.env);
  if (!existsSync(path) || (await mayDoAnything(path)) !== true) return [];
  return [
    `the daemon works with the rights of an administrator of Kubernetes (${path}); fewer are enough: docs/overlay-trust.md, and /usr/share/microshift-net/overlay-access.yaml`,
  ];
}
