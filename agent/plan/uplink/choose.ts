import { AgentError } from '../../errors.ts';
import type { Config } from '../../model/config.ts';
import type { Link, Observation, Route } from '../../model/observation.ts';
import type { PlanNote, UplinkChoice } from '../../model/plan.ts';
import { isDefault } from '../../net/destination.ts';
import { bridges } from '../names.ts';
import { type Candidate, newNameOf, rememberedCandidates } from './remembered.ts';
import { unsuitability } from './suitability.ts';
import { quotedName, shownName, word } from './trace.ts';

const externalHintPath = '/etc/ovnk/extra_bridge';

/** The NICs of both bridges; null: none. */
export interface ChosenUplinks {
  readonly gateway: string | null;
  readonly external: string | null;
}

/** What choosing came to: a device, `none`, or "a default route may still come". */
export type UplinkDecision =
  | { readonly kind: 'chosen'; readonly choice: UplinkChoice; readonly notes: readonly PlanNote[] }
  | { readonly kind: 'waiting'; readonly trace: readonly string[] };

/**
 * Chooses the uplink of br-ex: explicit setting > default_bridge > node-IP hint > the uplink br-ex has now > hint file > default
 * route (IPv4, then IPv6; lowest metric) > first other route of a real device, once waiting for a default route is over.
 * Leaves one trace line per decision. Fails with `interface-not-found`, `interface-unsuitable` or `no-uplink`.
 */
export function chooseUplink(config: Config, observation: Observation, routeWaitOver: boolean): UplinkDecision {
  const trace: string[] = [];
  const notes: PlanNote[] = [];
  const { value: asked, source: askedBy } = config.uplink;
  if (asked === 'none') {
    trace.push(`uplink=none source=${askedBy} verdict=chosen`);
    return { kind: 'chosen', choice: { interface: null, source: askedBy, trace }, notes };
  }
  const chosen = (candidate: Candidate): UplinkDecision => {
    trace.push(`interface=${shownName(candidate.name)} source=${word(candidate.source)} verdict=chosen`);
    return { kind: 'chosen', choice: { interface: candidate.name, source: candidate.source, trace }, notes };
  };
  const external = config.externalUplink.value ?? observation.hints.extraBridge;

  const explicit = explicitCandidate(config, observation);
  if (explicit !== null) {
    mustExist(explicit, observation);
    mustNotBeExternal(explicit, external);
    const reason = unsuitability(linkOf(observation, explicit.name), observation);
    if (reason !== null) throw unsuitable(explicit, reason);
    const renamed = newNameOf(explicit.name, observation);
    if (renamed !== null) {
      const message = `${explicit.name} is another NIC than the one that carried br-ex under this name; that one is ${renamed.name} now`;
      notes.push({ level: 'warning', message });
    }
    return chosen(explicit);
  }

  const remembered = rememberedCandidates(observation);
  trace.push(...remembered.trace);
  for (const candidate of remembered.candidates) {
    const reason = rejection(candidate, observation, external);
    if (reason === null) return chosen(candidate);
    trace.push(
      `interface=${shownName(candidate.name)} source=${word(candidate.source)} verdict=skipped reason=${word(reason)}`,
    );
    notes.push({
      level: 'warning',
      message: `${candidate.source} names ${shownName(candidate.name)}, which is not used: ${reason}`,
    });
  }

  const unfit: Candidate[] = [];
  for (const route of defaultRoutes(observation)) {
    const candidate = { name: route.device, source: `default route IPv${route.family} metric ${route.metric}` };
    const reason = rejection(candidate, observation, external);
    if (reason === null) return chosen(candidate);
    trace.push(`interface=${route.device} source=${word(candidate.source)} verdict=skipped reason=${word(reason)}`);
    if (unsuitability(linkOf(observation, route.device), observation) !== null && route.device !== external)
      unfit.push(candidate);
  }
  const [unfitDefault] = unfit;
  if (unfitDefault !== undefined) {
    notes.push({
      level: 'warning',
      message: `${unfitDefault.name} has the default route, but ${unsuitability(linkOf(observation, unfitDefault.name), observation)}; br-ex is built without a NIC`,
    });
    trace.push('uplink=none source=unsuitable-default-route verdict=chosen');
    return {
      kind: 'chosen',
      choice: { interface: null, source: 'the device of the default route cannot be an uplink', trace },
      notes,
    };
  }
  if (!routeWaitOver) {
    trace.push('default-route=missing verdict=waiting');
    return { kind: 'waiting', trace };
  }
  for (const route of otherRoutes(observation)) {
    const candidate = { name: route.device, source: `route to ${route.destination}` };
    const reason = rejection(candidate, observation, external);
    if (reason === null) return chosen(candidate);
    trace.push(`interface=${route.device} source=${word(candidate.source)} verdict=skipped reason=${word(reason)}`);
  }
  if (external !== null && observation.routes.some((route) => route.device === external))
    throw takenByExternal(config, external);
  throw new AgentError('no-uplink', 'no interface has a route, so there is none to choose as the uplink of br-ex', {
    hint: 'give an interface an address, name one with `uplink: <interface>` in /etc/microshift/ovn.yaml, or set `uplink: none`',
    facts: { trace, interfaces: interfaceNames(observation) },
  });
}

/** The uplink of br-ex1, if one is asked for. Fails with `interface-not-found` or `interface-unsuitable`. */
export function chooseExternalUplink(config: Config, observation: Observation): string | null {
  const name = config.externalUplink.value ?? observation.hints.extraBridge;
  if (name === null) return null;
  const source = config.externalUplink.value === null ? externalHintPath : config.externalUplink.source;
  mustExist({ name, source }, observation);
  const reason = unsuitability(linkOf(observation, name), observation);
  if (reason !== null) throw unsuitable({ name, source }, reason);
  return name;
}

/** Names of all links but lo, for messages. */
export function interfaceNames(observation: Observation): readonly string[] {
  return observation.links.map((link) => link.name).filter((name) => name !== 'lo');
}

function explicitCandidate(config: Config, observation: Observation): Candidate | null {
  if (config.uplink.value !== 'auto') return { name: config.uplink.value, source: config.uplink.source };
  const { defaultBridge } = observation.hints;
  return defaultBridge === null ? null : { name: defaultBridge, source: '/etc/ovnk/default_bridge' };
}

function rejection(candidate: Candidate, observation: Observation, external: string | null): string | null {
  const link = linkOf(observation, candidate.name);
  if (link === undefined) return 'there is no such interface';
  if (candidate.name === external) return 'it is the uplink of br-ex1';
  return unsuitability(link, observation);
}

function defaultRoutes(observation: Observation): readonly Route[] {
  const defaults = observation.routes.filter((route) => isDefault(route.destination) && !isOwnBridge(route.device));
  return defaults.toSorted((a, b) => a.family - b.family || a.metric - b.metric);
}

function otherRoutes(observation: Observation): readonly Route[] {
  return observation.routes.filter(
    (route) => !isDefault(route.destination) && !isOwnBridge(route.device) && route.device !== 'lo',
  );
}

function isOwnBridge(device: string): boolean {
  return bridges.some((names) => names.bridge === device);
}

function linkOf(observation: Observation, name: string): Link | undefined {
  return observation.links.find((link) => link.name === name);
}

function mustExist(candidate: Candidate, observation: Observation): void {
  if (linkOf(observation, candidate.name) !== undefined) return;
  const names = interfaceNames(observation);
  throw new AgentError(
    'interface-not-found',
    `${candidate.source} names the interface ${quotedName(candidate.name)}, which does not exist`,
    {
      hint: `use one of: ${names.join(', ')}`,
      facts: { interface: candidate.name, source: candidate.source, interfaces: names },
    },
  );
}

function mustNotBeExternal(candidate: Candidate, external: string | null): void {
  if (candidate.name !== external) return;
  throw new AgentError('config-invalid', `${candidate.name} is asked for as the uplink of br-ex and of br-ex1`, {
    hint: 'name different interfaces for the two bridges',
    facts: { interface: candidate.name, source: candidate.source },
  });
}

/** The only NIC with a route is the one somebody wants for the second bridge. */
function takenByExternal(config: Config, external: string): AgentError {
  const source = config.externalUplink.value === null ? externalHintPath : config.externalUplink.source;
  const message = `${source} names ${external} as the uplink of br-ex1, and no other interface has a route that br-ex could take`;
  return new AgentError('config-invalid', message, {
    hint: 'name another interface there, or one for br-ex with `uplink: <interface>` in /etc/microshift/ovn.yaml',
    facts: { interface: external, source },
  });
}

function unsuitable(candidate: Candidate, reason: string): AgentError {
  return new AgentError('interface-unsuitable', `${candidate.source} names ${candidate.name}, but ${reason}`, {
    hint: 'name another interface; br-ex can also do without a NIC (`uplink: none`)',
    facts: { interface: candidate.name, source: candidate.source },
  });
}
