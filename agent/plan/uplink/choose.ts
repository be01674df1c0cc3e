import { AgentError } from '../../errors.ts';
import type { Config } from '../../model/config.ts';
import { bridgesOf, externalBridge, gatewayBridge } from '../../model/names.ts';
import type { Link, Observation } from '../../model/observation.ts';
import type { PlanNote, UplinkChoice } from '../../model/plan.ts';
import { uplinkInBridge } from '../../model/uplink-in-bridge.ts';
import { isDefault, isLinkLocal } from '../../net/destination.ts';
import { interfaceNames, quotedName, shownName, word } from './choice-trace.ts';
import { isDefaultRouteExpected } from './expected-route.ts';
import { missingNicHint } from './missing-nic.ts';
import { type Candidate, newNameOf, rememberedCandidates } from './remembered.ts';
import { suitabilityHint, unsuitability, vrfMembers } from './suitability.ts';
import { takenByAdded, takenByExternal } from './taken.ts';

/** NICs of br-ex and br-ex1; null for a bridge that has no NIC or is not requested. */
export interface ChosenUplinks {
  readonly gateway: string | null;
  readonly external: string | null;
}

/**
 * Result of the choice: a device, a br-ex without a NIC, or a wait for a default route. `isExpected` is false if no
 * configuration on the node can bring a default route.
 */
export type UplinkDecision =
  | { readonly kind: 'chosen'; readonly choice: UplinkChoice; readonly notes: readonly PlanNote[] }
  | { readonly kind: 'waiting'; readonly isExpected: boolean; readonly trace: readonly string[] };

/** State of a choice: its inputs, and the trace and notes so far. */
interface Choosing {
  readonly observation: Observation;
  /** NIC of br-ex1; null if no NIC is set. */
  readonly external: Candidate | null;
  readonly trace: string[];
  readonly notes: PlanNote[];
}

/**
 * Chooses the uplink of br-ex in this order: setting in ovn.yaml, /etc/ovnk/default_bridge, node-IP hint, MicroShift's
 * node.nodeIP, current uplink of br-ex, hint file, default route (IPv4, then IPv6; lowest metric). Once the wait for a
 * default route is over, the first suitable device with another route is chosen instead. Writes one trace line per
 * decision. For an explicitly set NIC, fails with `interface-not-found` or `interface-unsuitable`, or with
 * `config-invalid` if the NIC is also set for another bridge. Fails with `no-uplink` if nothing can be chosen.
 */
export function chooseUplink(config: Config, observation: Observation, routeWaitOver: boolean): UplinkDecision {
  const external = externalCandidate(config, observation);
  const choosing: Choosing = { observation, external, trace: [], notes: [] };
  const { value: asked, source: askedBy } = config.uplink;
  if (asked === 'none') return withoutNic(choosing, askedBy, askedBy);
  const explicit = explicitCandidate(config, observation);
  if (explicit !== null) return explicitUplink(choosing, explicit);
  const decision = rememberedUplink(choosing, config) ?? uplinkByDefaultRoute(choosing);
  if (decision !== null) return decision;
  if (routeWaitOver) return uplinkByOtherRoute(choosing);
  const isExpected = isDefaultRouteExpected(possibleUplinks(config, observation), observation);
  choosing.trace.push(`default-route=${isExpected ? 'missing' : 'not-expected'} verdict=waiting`);
  return { kind: 'waiting', isExpected, trace: choosing.trace };
}

/** Returns the interfaces that could be the uplink of br-ex: each is suitable, and not the uplink of another bridge. */
export function possibleUplinks(config: Config, observation: Observation): readonly Link[] {
  const external = externalCandidate(config, observation);
  const isFree = ({ name }: Link): boolean =>
    !isOwnBridge(name, observation) && rejection({ name, source: '' }, observation, external) === null;
  return observation.links.filter(isFree);
}

function explicitUplink(choosing: Choosing, candidate: Candidate): UplinkDecision {
  const { observation, external, notes } = choosing;
  mustExist(candidate, observation);
  mustBeFree(candidate, gatewayBridge.bridge, bridgeOf(candidate.name, external, observation));
  mustBeSuitable(candidate, observation);
  const renamed = newNameOf(candidate.name, observation);
  if (renamed !== null) {
    const message = `${candidate.name} is another NIC than the one that carried br-ex under this name; that one is ${renamed.name} now`;
    notes.push({ level: 'warning', message });
  }
  return chosen(choosing, candidate);
}

function rememberedUplink(choosing: Choosing, { cluster }: Config): UplinkDecision | null {
  const remembered = rememberedCandidates(cluster.nodeIp, choosing.observation);
  choosing.trace.push(...remembered.trace);
  choosing.notes.push(...remembered.notes);
  const { usable, skipped } = firstUsable(choosing, remembered.candidates);
  for (const { name, source, reason } of skipped) {
    const message = `${source} names ${shownName(name)}, which is not used: ${reason}`;
    choosing.notes.push({ level: 'warning', message });
  }
  return usable === null ? null : chosen(choosing, usable);
}

/**
 * Chooses the first suitable device of a default route. If none is suitable, chooses br-ex without a NIC. Null if no
 * default route exists, or if every device of a default route is requested for another bridge.
 */
function uplinkByDefaultRoute(choosing: Choosing): UplinkDecision | null {
  const { observation, notes } = choosing;
  const { usable, skipped } = firstUsable(choosing, byDefaultRoute(observation));
  if (usable !== null) return chosen(choosing, usable);
  const reasonOf = (name: string) => unsuitability(linkOf(observation, name), observation);
  const isFree = (name: string) => bridgeOf(name, choosing.external, observation) === null;
  const unfit = skipped.find(({ name }) => isFree(name) && reasonOf(name) !== null);
  if (unfit === undefined) return null;
  const message = `${unfit.name} has the default route, but ${reasonOf(unfit.name)}; br-ex is built without a NIC`;
  notes.push({ level: 'warning', message });
  return withoutNic(choosing, 'unsuitable-default-route', 'the device of the default route cannot be an uplink');
}

function uplinkByOtherRoute(choosing: Choosing): UplinkDecision {
  const { observation, external, trace } = choosing;
  const { usable } = firstUsable(choosing, byOtherRoute(observation));
  if (usable !== null) return chosen(choosing, usable);
  const hasLan = (name: string): boolean =>
    name === uplinkInBridge(gatewayBridge, observation) || observation.routes.some(({ device }) => device === name);
  if (external !== null && hasLan(external.name)) throw takenByExternal(external);
  const [added] = observation.hints.addedBridges ?? [];
  if (added !== undefined) throw takenByAdded(added);
  const [member] = vrfMembers(observation);
  const why =
    member === undefined
      ? 'none can become the uplink of br-ex'
      : `${member.name} is in the VRF ${member.vrf}, whose routes are not those of the node`;
  throw new AgentError('no-uplink', `no suitable interface has a route but link-local ones: ${why}`, {
    hint:
      member !== undefined
        ? suitabilityHint(linkOf(observation, member.name), observation)
        : 'give an interface an address, name one with `uplink: <interface>` in /etc/microshift/ovn.yaml, or set `uplink: none`',
    facts: { trace, interfaces: interfaceNames(observation) },
  });
}

/**
 * Returns the first candidate that can be the uplink (null if none can), and the candidates before it, each with the
 * reason why it cannot be the uplink.
 */
function firstUsable(
  { observation, external, trace }: Choosing,
  candidates: readonly Candidate[],
): { usable: Candidate | null; skipped: readonly (Candidate & { readonly reason: string })[] } {
  const skipped: (Candidate & { reason: string })[] = [];
  for (const candidate of candidates) {
    const { name, source } = candidate;
    const reason = rejection(candidate, observation, external);
    if (reason === null) return { usable: candidate, skipped };
    trace.push(`interface=${shownName(name)} source=${word(source)} verdict=skipped reason=${word(reason)}`);
    skipped.push({ name, source, reason });
  }
  return { usable: null, skipped };
}

function chosen({ trace, notes }: Choosing, { name, source }: Candidate): UplinkDecision {
  trace.push(`interface=${shownName(name)} source=${word(source)} verdict=chosen`);
  return { kind: 'chosen', choice: { interface: name, source, trace }, notes };
}

function withoutNic({ trace, notes }: Choosing, why: string, source: string): UplinkDecision {
  trace.push(`uplink=none source=${why} verdict=chosen`);
  return { kind: 'chosen', choice: { interface: null, source, trace }, notes };
}

/**
 * Returns the uplink of br-ex1; null if none is requested. Fails with `interface-not-found`, `interface-unsuitable` or
 * `config-invalid`.
 */
export function chooseExternalUplink(config: Config, observation: Observation): string | null {
  const candidate = externalCandidate(config, observation);
  if (candidate === null) return null;
  mustExist(candidate, observation);
  mustBeFree(candidate, externalBridge.bridge, bridgeOf(candidate.name, null, observation));
  mustBeSuitable(candidate, observation);
  return candidate.name;
}

/** Returns the NIC that is explicitly set for br-ex; null if no NIC is set. */
export function explicitCandidate({ uplink }: Config, { hints }: Observation): Candidate | null {
  if (uplink.value === 'none') return null;
  if (uplink.value !== 'auto') return { name: uplink.value, source: uplink.source };
  return hints.defaultBridge === null ? null : { name: hints.defaultBridge, source: '/etc/ovnk/default_bridge' };
}

/** Returns the NIC that is set for br-ex1; null if no NIC is set. */
export function externalCandidate(
  { externalUplink: { value, source } }: Config,
  { hints }: Observation,
): Candidate | null {
  if (value !== null) return { name: value, source };
  return hints.extraBridge === null ? null : { name: hints.extraBridge, source: '/etc/ovnk/extra_bridge' };
}

function rejection(candidate: Candidate, observation: Observation, external: Candidate | null): string | null {
  const link = linkOf(observation, candidate.name);
  const bridge = link === undefined ? null : bridgeOf(candidate.name, external, observation);
  if (bridge !== null) return `it is the uplink of ${bridge}`;
  return unsuitability(link, observation);
}

/**
 * Returns the other bridge for which the NIC is requested; null if no other bridge requests it. `external` is the NIC
 * of br-ex1, or null in the choice for br-ex1 itself.
 */
function bridgeOf(name: string, external: Candidate | null, { hints }: Observation): string | null {
  if (name === external?.name) return externalBridge.bridge;
  return hints.addedBridges?.find((entry) => entry.interface === name)?.bridge ?? null;
}

function byDefaultRoute(observation: Observation): readonly Candidate[] {
  return observation.routes
    .filter((route) => isDefault(route.destination) && !isOwnBridge(route.device, observation))
    .toSorted((a, b) => a.family - b.family || a.metric - b.metric)
    .map(({ device, family, metric }) => ({ name: device, source: `default route IPv${family} metric ${metric}` }));
}

function byOtherRoute(observation: Observation): readonly Candidate[] {
  // Link-local routes do not count: they do not identify the LAN, because the NIC of a BMC has one as well.
  const isOfLan = (destination: string): boolean => !isDefault(destination) && !isLinkLocal(destination);
  return observation.routes
    .filter(({ device, destination }) => !isOwnBridge(device, observation) && device !== 'lo' && isOfLan(destination))
    .map(({ device, destination }) => ({ name: device, source: `route to ${destination}` }));
}

function isOwnBridge(device: string, observation: Observation): boolean {
  return bridgesOf(observation).some((names) => names.bridge === device);
}

function linkOf(observation: Observation, name: string): Link | undefined {
  return observation.links.find((link) => link.name === name);
}

function mustExist(candidate: Candidate, observation: Observation): void {
  if (linkOf(observation, candidate.name) !== undefined) return;
  const names = interfaceNames(observation);
  const message = `${candidate.source} names the interface ${quotedName(candidate.name)}, which does not exist`;
  throw new AgentError('interface-not-found', message, {
    hint: missingNicHint(candidate.name, observation),
    facts: { interface: candidate.name, source: candidate.source, interfaces: names },
  });
}

/**
 * Fails with `config-invalid` if the NIC is also requested for the bridge `other`, which is null if no other bridge
 * requests the NIC.
 */
function mustBeFree(candidate: Candidate, bridge: string, other: string | null): void {
  if (other === null) return;
  const givenUp = `, or give that one up: microshift-net bridge remove ${other}`;
  throw new AgentError('config-invalid', `${candidate.name} is asked for as the uplink of ${bridge} and of ${other}`, {
    hint: `name different interfaces for the two bridges${other === externalBridge.bridge ? '' : givenUp}`,
    facts: { interface: candidate.name, source: candidate.source },
  });
}

function mustBeSuitable(candidate: Candidate, observation: Observation): void {
  const reason = unsuitability(linkOf(observation, candidate.name), observation);
  if (reason === null) return;
  throw new AgentError('interface-unsuitable', `${candidate.source} names ${candidate.name}, but ${reason}`, {
    hint: suitabilityHint(linkOf(observation, candidate.name), observation),
    facts: { interface: candidate.name, source: candidate.source },
  });
}
