import { joinSwitch } from '../../overlay/overlay-names.ts';
import { keys } from '../../overlay/rows/column-changes.ts';
import type { DesiredRows } from '../../overlay/rows/desired-rows.ts';
import { mapOf } from '../../overlay/rows/row-index.ts';
import { isOfOneNode } from './balancer-rows.ts';

/** Key in external_ids of the join switch. Its value changes with each recomputation that the plan requests. */
const key = 'microshift-net-recompute';

/**
 * Makes ovn-northd recompute all flows if load balancers of single nodes change. From 24.03 on, ovn-northd processes
 * each changed load balancer incrementally. In 26.03 it then extends a row of Logical_DP_Group that another flow also
 * uses (northd/lflow-mgr.c, ovn_dp_group_create), and nodes with endpoints reject packets from then on. The plan
 * therefore also changes external_ids of the join switch: ovn-northd recomputes all flows if any column of a switch
 * except its ports, ACLs and load balancers has changed (northd/northd.c, ls_changes_can_be_handled). Both changes are
 * in one transaction, so that the recomputation is in the same iteration.
 */
export function askForRecompute(desired: DesiredRows): void {
  const isConcerned = desired.changes.some(({ table, title }) => table === 'Load_Balancer' && isOfOneNode(title));
  const existing = desired.existing.named('Logical_Switch', joinSwitch);
  if (!isConcerned || existing === null) return;
  desired.add({
    table: 'Logical_Switch',
    title: joinSwitch,
    existing,
    columns: { external_ids: keys({ [key]: mapOf(existing, 'external_ids')[key] === '1' ? '2' : '1' }) },
    isShared: true,
    why: 'ovn-northd has to recompute all flows, because a load balancer of a single node changes',
  });
}
