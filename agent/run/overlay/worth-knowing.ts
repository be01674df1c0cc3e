import { existsSync } from 'node:fs';
import { answeredNeighbours } from '../../drivers/host/neighbours.ts';
import { mayDoAnything } from '../../drivers/kubernetes/access-review.ts';
import { kubeconfigPath } from '../../drivers/kubernetes/kubeconfig.ts';
import type { Config } from '../../model/config.ts';
import { learnedColumns, learnedOtherwise } from '../../overlay/learned.ts';
import type { PlannedNode } from './planned.ts';
import { readColumns } from './rows.ts';

/**
 * Returns facts that an administrator should know although they are not drift and have no effect on the plan; each is a
 * sentence.
 */
export async function noticesOf(planned: PlannedNode, config: Pick<Config, 'overlay'>): Promise<readonly string[]> {
  const {
    strangers,
    certificates: { waiting, refused },
  } = planned;
  return [
    ...(await learnedNotices(planned)),
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

/**
 * Returns a sentence if the daemon's credentials have the rights of a cluster administrator, which it does not need;
 * empty if no API server answers.
 */
async function administratorNotices({ overlay }: Pick<Config, 'overlay'>): Promise<readonly string[]> {
  const path = kubeconfigPath(overlay.kubeconfig.value, process.env);
  if (!existsSync(path) || (await mayDoAnything(path)) !== true) return [];
  return [
    `the daemon works with the rights of an administrator of Kubernetes (${path}); fewer are enough: docs/use/overlay-trust.md, and /usr/share/microshift-net/overlay-access.yaml`,
  ];
}

/**
 * Returns a sentence for each neighbour whose MAC, as routers have learned it, differs from the known MAC; empty except
 * on the central node.
 */
async function learnedNotices({ record, members, databases }: PlannedNode): Promise<readonly string[]> {
  const southbound = databases.find(({ database }) => database.name === 'OVN_Southbound');
  if (southbound === undefined) return [];
  const rows = await readColumns(southbound.database, learnedColumns);
  const bridge = record.node.gateway?.bridge;
  const neighbours = bridge === undefined ? [] : await answeredNeighbours(bridge);
  return learnedOtherwise(rows, members, record.node, neighbours);
}
