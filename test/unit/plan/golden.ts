// A plan as a case keeps it: every profile once, as it is wanted; steps name it, and say only what they have of it that is otherwise.
import { inWords } from '../../../agent/compare/in-words.ts';
import type { Plan, Step, WantedBridge, WantedProfile } from '../../../agent/model/plan.ts';
import type { ProfileSettings } from '../../../agent/model/settings.ts';

/** The plan of the case that a case is made of, and that case's name. */
export interface BasePlan {
  readonly name: string;
  readonly plan: Plan;
}

/**
 * Without the trace, which has a file of its own, where a change of a decision is seen at once. Of a profile that the plan of the other case
 * wants, too, only what is unlike there; of a step that it has, too, only its kind.
 */
export function shortPlan({ choice, wanted, steps, ...rest }: Plan, base: BasePlan | null): object {
  const profiles = wanted.bridges.flatMap((bridge) => bridge.profiles);
  return {
    ...rest,
    choice: choice === null ? null : { interface: choice.interface, source: choice.source },
    differences: rest.differences.map(inWords).map((entry) => `${entry.subject}: ${entry.observed} → ${entry.wanted}`),
    wanted: wanted.bridges.map((bridge) => shortBridge(bridge, base)),
    steps: steps.map((step) => (isIn(step, base) ? { do: step.do, 'as in': base?.name } : shortStep(step, profiles))),
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

function isIn(step: Step, base: BasePlan | null): boolean {
  return base?.plan.steps.some((other) => JSON.stringify(other) === JSON.stringify(step)) === true;
}

function shortBridge({ profiles, ...bridge }: WantedBridge, base: BasePlan | null): object {
  const others = base?.plan.wanted.bridges.flatMap((other) => other.profiles) ?? [];
  const short = ({ uuid, settings }: WantedProfile): unknown => {
    const other = others.find((profile) => profile.uuid === uuid);
    if (base === null || other === undefined) return { uuid, ...settings };
    const differing = unlike(settings, other.settings);
    return Object.keys(differing).length === 0 ? `as in ${base.name}` : { [`unlike ${base.name}`]: differing };
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

/** Settings that are not as in the other; null: it has one that is not here. */
function unlike(settings: ProfileSettings, other: ProfileSettings): Record<string, unknown> {
  const names = [...new Set([...Object.keys(settings), ...Object.keys(other)])];
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(settings[name]) !== JSON.stringify(other[name]))
      .map((name) => [name, settings[name] ?? null]),
  );
}
