import { AgentError, asAgentError } from '../errors.ts';
import type { AddedBridge } from '../model/added-bridge.ts';
import type { Config } from '../model/config.ts';
import type { Observation } from '../model/observation.ts';
import type { PlanNote } from '../model/plan.ts';
import { withoutBridges } from './bridge/loopback.ts';
import { configOnNode } from './microshift-needs.ts';
import { chooseUplink } from './uplink/choose.ts';

/**
 * Fails with `interface-unsuitable` if, without the NIC that `bridge add` would take, the next `apply` would fail or
 * would make a br-ex without a NIC. If `bridge add` takes the NIC that br-ex would have, and br-ex gets another NIC,
 * returns a note. `list` has the bridges of `bridge add`, with the new one. A br-ex that the administrator makes, or
 * that has no NIC by configuration, needs no NIC.
 */
export function refuseNeeded(
  nic: string,
  list: readonly AddedBridge[],
  config: Config,
  observation: Observation,
): readonly PlanNote[] {
  if (config.disableOvsInit.value || observation.hints.addedBridges?.some((entry) => entry.interface === nic))
    return [];
  const before = uplinkOrReason(config, observation);
  if (before.uplink !== nic) return [];
  const after = uplinkOrReason(config, { ...observation, hints: { ...observation.hints, addedBridges: list } });
  if (after.uplink !== null) {
    const message = `without a bridge of its own, ${nic} would be the uplink of br-ex; the next \`apply\` uses ${after.uplink} instead`;
    return [{ level: 'warning', message }];
  }
  const consequence = after.reason ?? 'br-ex would be made without a NIC';
  throw new AgentError(
    'interface-unsuitable',
    `br-ex needs ${nic}: with a bridge of its own for ${nic}, ${consequence}`,
    {
      hint: `name another NIC; to give up br-ex on this node, set disableOVSInit in /etc/microshift/ovn.yaml, or add --force`,
    },
  );
}

/**
 * Returns the uplink that `apply` would choose, or the reason why it would fail; both are null for a br-ex without a
 * NIC.
 */
function uplinkOrReason(
  written: Config,
  observation: Observation,
): { readonly uplink: string | null; readonly reason: string | null } {
  try {
    const decision = chooseUplink(configOnNode(written, withoutBridges(observation)), observation, true);
    return { uplink: decision.kind === 'chosen' ? decision.choice.interface : null, reason: null };
  } catch (error) {
    return { uplink: null, reason: asAgentError(error).message };
  }
}
