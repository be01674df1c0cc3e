import { currentBootId } from '../../drivers/host/kernel/boot-id.ts';
import type { Config } from '../../model/config.ts';
import { journalDirectory } from '../../model/journal.ts';
import type { Observation } from '../../model/observation.ts';
import type { Wanted, WantedBridge } from '../../model/plan.ts';
import { isAdded } from '../../plan/added.ts';
import { currentBridges } from '../../plan/bridge/current.ts';
import { readJournals } from '../journal/journal-files.ts';
import { lastKept } from '../journal/transactions.ts';

/**
 * Returns the desired bridges of the last change that was kept in this boot, or the present bridges if no change was
 * kept. If ovn.yaml leaves br-ex to the administrator, only the bridges of `bridge add` come from the last change; the
 * other bridges are the present ones. A bridge that was left to MicroShift is not returned. The caller holds the lock,
 * because the last change may be that of a run that has just ended or was just recovered.
 */
export function keptBridges({ disableOvsInit }: Config, observation: Observation): Wanted {
  const current = currentBridges(observation).bridges;
  const kept = lastKept(readJournals(journalDirectory).records, currentBootId())?.bridges ?? current;
  if (!disableOvsInit.value) return { bridges: kept };
  const ofAdd = ({ bridge }: WantedBridge): boolean => isAdded(bridge, observation);
  return { bridges: [...current.filter((entry) => !ofAdd(entry)), ...kept.filter(ofAdd)] };
}

/**
 * Returns the bridges of `bridge add`: as the last kept change of this boot desires them or, if no change was kept, as
 * they are. The caller holds the lock.
 */
export function keptAdded(config: Config, observation: Observation): readonly WantedBridge[] {
  const { addedBridges = [] } = observation.hints;
  const isListed = ({ bridge }: WantedBridge): boolean => addedBridges.some((entry) => entry.bridge === bridge);
  return keptBridges(config, observation).bridges.filter(isListed);
}
