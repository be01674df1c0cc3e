import { AgentError } from '../../errors.ts';
import type { Config } from '../../model/config.ts';
import type { Observation } from '../../model/observation.ts';
import { interfaceNameFault } from '../../net/interface-name.ts';
import { interfaceNames, quotedName, shownName, word } from './choice-trace.ts';
import { explicitCandidate, externalCandidate } from './choose.ts';
import { missingNicHint } from './missing-nic.ts';

/**
 * Returns the explicitly set NIC for which the run has to wait, with a trace. The NIC does not exist at boot but may
 * still appear: a USB adapter, a NIC that waits for its firmware, or a VLAN on such a NIC. Returns null if every
 * explicitly set NIC exists, or if a name cannot be an interface name. Fails with `no-uplink` when the wait is over.
 * microshift-ovs-init.service then tries again, and is started once more when a network appears.
 */
export function lateNic(
  config: Config,
  observation: Observation,
  nicWaitOver: boolean,
): {
  readonly kind: 'waiting';
  readonly interface: string;
  readonly isExpected: true;
  readonly trace: readonly string[];
} | null {
  const isThere = (name: string): boolean => observation.links.some((link) => link.name === name);
  const named = [explicitCandidate(config, observation), externalCandidate(config, observation)];
  const late = named.find((candidate) => candidate !== null && !isThere(candidate.name)) ?? null;
  if (late === null || interfaceNameFault(late.name) !== null) return null;
  const { name, source } = late;
  if (!nicWaitOver)
    return {
      kind: 'waiting',
      interface: name,
      isExpected: true,
      trace: [`interface=${shownName(name)} source=${word(source)} verdict=waiting`],
    };
  const interfaces = interfaceNames(observation);
  throw new AgentError('no-uplink', `${source} names the interface ${quotedName(name)}, which has not come`, {
    hint: missingNicHint(name, observation, 'plug it in'),
    facts: { interface: name, source, interfaces },
  });
}
