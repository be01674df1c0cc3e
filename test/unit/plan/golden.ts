// A plan as a case keeps it: every profile once, as it is wanted; steps name it, and say only what they have of it that is otherwise.
import { inWords } from '../../../agent/compare/in-words.ts';
import type { Plan, Step, WantedBridge, WantedProfile } from '../../../agent/model/plan.ts';

/** The plan of the case that a case is made of, and that case's name. */
export interface BasePlan {
  readonly name: string;
  readonly plan: Plan;
}

/**
 * Without the trace, which has a file of its own, where a change of a decision is seen at once. Of a profile that the plan of another case
 * wants, too, only what is unlike there; so of a step. `bases`: the other cases, nearest first.
 */
export function shortPlan({ choice, wanted, steps, ...rest }: Plan, bases: readonly BasePlan[]): object {
  const profiles = wanted.bridges.flatMap((bridge) => bridge.profiles);
  return {
    ...rest,
    choice: choice === null ? null : { interface: choice.interface, source: choice.source },
    differences: rest.differences.map(inWords).map((entry) => `${entry.subject}: ${entry.observed} → ${entry.wanted}`),
    wanted: wanted.bridges.map((bridge) => shortBridge(bridge, bases)),
    steps: steps.map((step) => stepByBases(step, profiles, bases)),
  };
}

/** Which NIC is in which bridge, and what is said of it. */
export function shortChoice({ choice, wanted, notes }: Plan): object {
  return {
    choice: choice === null ? null : { interface: choice.interface, source: choice.source },
    bridges: wanted.bridges.map(({ bridge, uplink, mac }) => ({ bridge, uplink: uplink?.interface ?? null, mac })),
    notes,
  };
}

/** A step by the one of another case that it is most like. Of several steps of its kind there, the number says which. */
function stepByBases(step: Step, wanted: readonly WantedProfile[], bases: readonly BasePlan[]): object {
  const alike = bases.flatMap(({ name, plan }) => {
    const others = plan.steps.filter((other) => other.do === step.do);
    return others.map((other, index) => ({ name: others.length > 1 ? `${name}/${index + 1}` : name, plan, other }));
  });
  const same = alike.find(({ other }) => JSON.stringify(other) === JSON.stringify(step));
  if (same !== undefined) return { do: step.do, 'as in': same.name };
  const short = shortStep(step, wanted);
  return alike
    .map(({ name, plan, other }) => {
      return { do: step.do, [`unlike ${name}`]: unlike(short, shortStep(other, profilesOf(plan))) };
    })
    .reduce((best, one) => (JSON.stringify(one).length < JSON.stringify(best).length ? one : best), short);
}

function profilesOf({ wanted }: Plan): readonly WantedProfile[] {
  return wanted.bridges.flatMap(({ profiles }) => profiles);
}

function shortBridge({ profiles, ...bridge }: WantedBridge, bases: readonly BasePlan[]): object {
  const short = ({ uuid, settings }: WantedProfile): unknown => {
    for (const { name, plan } of bases) {
      const other = profilesOf(plan).find((profile) => profile.uuid === uuid);
      if (other === undefined) continue;
      const differing = unlike(settings, other.settings);
      return Object.keys(differing).length === 0 ? `as in ${name}` : { [`unlike ${name}`]: differing };
    }
    return { uuid, ...settings };
  };
  return { ...bridge, profiles: Object.fromEntries(profiles.map((profile) => [profile.id, short(profile)])) };
}

function shortStep(step: Step, wanted: readonly WantedProfile[]): object {
  const known = (uuid: string): WantedProfile | undefined => wanted.find((profile) => profile.uuid === uuid);
  switch (step.do) {
    case 'writeProfiles':
      return { ...step, profiles: step.profiles.map((profile) => shortProfile(profile, known(profile.uuid))) };
    case 'deleteProfiles':
      return { ...step, profiles: step.profiles.map(({ id }) => id) };
    case 'reapply': {
      const { uuid, settings, ...rest } = step;
      return { ...rest, settings: settings === null ? null : unlike(settings, known(uuid)?.settings ?? {}) };
    }
    default:
      return step;
  }
}

function shortProfile({ id, uuid, settings }: WantedProfile, wanted: WantedProfile | undefined): unknown {
  if (wanted === undefined) return { id, uuid, settings };
  const other = unlike(settings, wanted.settings);
  return Object.keys(other).length === 0 ? id : { id, unlike: other };
}

/** Entries that are not as in the other; null: it has one that is not here. */
function unlike(value: object, base: object): Record<string, unknown> {
  const [own, other] = [value, base] as Readonly<Record<string, unknown>>[];
  const names = [...new Set([...Object.keys(value), ...Object.keys(base)])];
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(own?.[name]) !== JSON.stringify(other?.[name]))
      .map((name) => [name, own?.[name] ?? null]),
  );
}
