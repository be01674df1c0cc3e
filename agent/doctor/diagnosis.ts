import { defaultConfig } from '../config/defaults.ts';
import { isAgentError } from '../errors.ts';
import { addedBridgesPath, hintedNicPath, readHints } from '../facts/hints.ts';
import { kernelDatapathFact, observationOf } from '../facts/make-observation.ts';
import { nicsIn } from '../model/bridge-devices.ts';
import type { Config } from '../model/config.ts';
import type { Examination } from '../model/examination.ts';
import { gatewayBridge } from '../model/names.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import { carriedBy, withoutBridges } from '../plan/bridge/loopback.ts';
import { planApply } from '../plan/make-plan.ts';
import type { Uplink } from '../plan/microshift-address.ts';
import { configOnNode } from '../plan/microshift-needs.ts';

/** Facts that several checks need. */
export interface Diagnosis {
  /** Effective configuration; the defaults if it cannot be read. */
  readonly config: Config;
  /**
   * Observation of the node; null if NetworkManager or Open vSwitch did not answer, or if the kernel's facts could not
   * be read.
   */
  readonly observation: Observation | null;
  /** Plan of `apply`; null if the node was not observed, if planning failed, or if the administrator creates br-ex. */
  readonly plan: Plan | null;
  /** Reason why planning failed, and its remedy; null if planning did not fail. */
  readonly refusal: { readonly message: string; readonly hint: string | null } | null;
  /**
   * NIC of br-ex according to the plan, or else the NIC that br-ex has now; null if br-ex has no NIC, or if its NIC is
   * unknown.
   */
  readonly uplink: string | null;
  /**
   * NIC in br-ex, with the addresses that moved from the NIC to br-ex; null if br-ex has no NIC, or if its NIC is
   * unknown.
   */
  readonly carried: Uplink | null;
  /**
   * True if ovn-kubernetes has been set up on this node: the integration bridge exists and does not belong to the
   * agent's overlay.
   */
  readonly hasOvnKubernetes: boolean;
}

/** Determines the facts that checks share. */
export function diagnose(examination: Examination): Diagnosis {
  const written = examination.config.value?.config ?? defaultConfig;
  const observation = observed(examination);
  const host = observation === null ? examination.network.value : withoutBridges(observation);
  const config = host === null ? written : configOnNode(written, host);
  const bridges = examination.ovs.value?.bridges ?? [];
  const { links = [] } = examination.network.value ?? {};
  const networkManager = examination.networkManager.value;
  const [uplinkNow] = nicsIn(
    bridges.find((bridge) => bridge.name === gatewayBridge.bridge),
    networkManager === null ? { links } : { links, networkManager },
  );
  const { plan, refusal } = planOf(config, observation);
  // A record of the overlay means that the node is in an overlay, to which br-int belongs, even if the record cannot be
  // read.
  const { overlay } = examination;
  const isInNoOverlay = overlay.failure === null && overlay.value === null;
  return {
    config,
    observation,
    plan,
    refusal,
    uplink: plan?.choice?.interface ?? uplinkNow?.name ?? null,
    carried: observation === null ? null : carriedBy(gatewayBridge, observation),
    hasOvnKubernetes: isInNoOverlay && bridges.some((bridge) => bridge.name === 'br-int'),
  };
}

function planOf(config: Config, observation: Observation | null): Pick<Diagnosis, 'plan' | 'refusal'> {
  if (observation === null || config.disableOvsInit.value) return { plan: null, refusal: null };
  try {
    const decision = planApply(config, observation, true);
    return { plan: decision.kind === 'planned' ? decision.plan : null, refusal: null };
  } catch (error) {
    if (!isAgentError(error)) throw error;
    return { plan: null, refusal: { message: error.message, hint: error.hint ?? null } };
  }
}

/**
 * Returns the observation on which `apply` would plan; null if the facts of the kernel, NetworkManager or Open vSwitch
 * could not be read.
 */
function observed(examination: Examination): Observation | null {
  const { system, network, networkManager, ovs, tuning, files } = examination;
  if (network.value === null || networkManager.value === null || ovs.value === null) return null;
  const { links, routes, foreign = [], resolver, missingPrograms, ...said } = network.value;
  const { stackedElsewhere, interfaceRules, interfaceZones, kernelIpv6 } = said;
  const { hasMicroShiftScript, hasMicroShift, lacksTun, openvswitchModule, signpost, others } = said;
  const { bootId = '', hostname = '' } = system.value ?? {};
  const textOf = (path: string): string | null => {
    if (path === hintedNicPath) return files.value?.hintedNic ?? null;
    if (path === addedBridgesPath) return files.value?.addedBridges ?? null;
    return files.value?.hints.find((entry) => entry.path === path)?.text ?? null;
  };
  const host = {
    host: {
      bootId,
      hostname,
      sshPeer: null,
      missingPrograms,
      ...(hasMicroShiftScript === undefined ? {} : { hasMicroShiftScript }),
      ...(hasMicroShift === undefined ? {} : { hasMicroShift }),
      ...(lacksTun === undefined ? {} : { lacksTun }),
      ...kernelDatapathFact(openvswitchModule),
    },
    links,
    routes,
    ...(signpost === undefined ? {} : { signpost }),
    foreign,
    ...(stackedElsewhere === undefined ? {} : { stackedElsewhere }),
    ...(interfaceZones === undefined ? {} : { interfaceZones }),
    ...(interfaceRules === undefined ? {} : { interfaceRules }),
    ...(kernelIpv6 === undefined ? {} : { kernelIpv6 }),
    ...(others === undefined ? {} : { others }),
    resolver,
    hints: readHints(textOf),
    ...(tuning.value === null ? {} : { tuning: tuning.value }),
  };
  return observationOf(host, networkManager.value, ovs.value);
}
