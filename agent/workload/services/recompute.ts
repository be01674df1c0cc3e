import { keys } from '../../overlay/column-changes.ts';
import type { Draft } from '../../overlay/draft.ts';
import { mapOf } from '../../overlay/existing.ts';
import { joinSwitch } from '../../overlay/names.ts';
import { isOfOneNode } from './rows.ts';

/** In external_ids of the join switch, for nobody to read. */
const key = 'microshift-net-recompute';

/**
 * Lets ovn-northd make all flows anew where balancers of single nodes change. From 24.03 on it makes those of each changed balancer on its own, and 26.03
 * then extends a row of Logical_DP_Group that another flow has, too (northd/lflow-mgr.c, ovn_dp_group_create): nodes that serve refuse, for good. It makes
 * all of them where a switch has changed in another column than those of its ports, lists and balancers (northd/northd.c, ls_changes_can_be_handled), and
 * does so in the same round only if that is in the same transaction.
 */
export function askForRecompute(draft: Draft): void {
  const isConcerned = draft.changes.some(({ table, title }) => table === 'Load_Balancer' && isOfOneNode(title));
  const existing = draft.existing.named('Logical_Switch', joinSwitch);
  if (!isConcerned || existing === null) return;
  draft.want({
    table: 'Logical_Switch',
    title: joinSwitch,
    existing,
    columns: { external_ids: keys({ [key]: mapOf(existing, 'external_ids')[key] === '1' ? '2' : '1' }) },
    isShared: true,
    why: 'ovn-northd makes the flows of balancers of single nodes right only together with all others',
  });
}
