import { currentBootId } from '../drivers/host/boot-id.ts';
import type { Config } from '../model/config.ts';
import { journalDirectory } from '../model/journal.ts';
import type { Observation } from '../model/observation.ts';
import type { Wanted, WantedBridge } from '../model/plan.ts';
import { isAdded } from '../plan/added.ts';
import { currentBridges } from '../plan/bridge/current.ts';
import { readJournals } from './journal.ts';
import { lastKept } from './transactions.ts';

/**
 * What the last run of this boot that was kept made of the node's bridges; where there was none, what they are. Where ovn.yaml leaves br-ex to the
 * admin that is true of `bridge add`'s alone. A bridge that was left to MicroShift is MicroShift's business. Call it under the lock: a run that has
 * just ended, or that was recovered first, may be the last one.
 */
export function keptBridges({ disableOvsInit }: Config, observation: Observation): Wanted {
  const current = currentBridges(observation).bridges;
  const kept = lastKept(readJournals(journalDirectory).records, currentBootId())?.bridges ?? current;
  if (!disableOvsInit.value) return { bridges: kept };
  const ofAdd = ({ bridge }: WantedBridge): boolean => isAdded(bridge, observation);
  return { bridges: [...current.filter((entry) => !ofAdd(entry)), ...kept.filter(ofAdd)] };
}
