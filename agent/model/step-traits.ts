import type { Step, StepArguments, StepKind } from './plan.ts';

/** Properties of a kind of step on which the planner, the transaction and the rollback decide. */
interface StepTraits<Arguments> {
  /** Returns the NICs that the step moves or configures; NetworkManager may have to activate them again. */
  readonly nics: (step: Arguments) => readonly string[];
  /** Returns true if the node's addresses may be elsewhere after the step. Hosts that have to answer afterwards are queried before it. */
  readonly isDisruptive: (step: Arguments) => boolean;
  /** Returns true if the step activates a profile of a NIC, which may carry no traffic for a while (LACP, spanning tree). */
  readonly startsNic: (step: Arguments) => boolean;
  /** True if the step waits for a lease or for routes of the NIC. A rollback goes on without them, because the NIC has the held ones. */
  readonly settles: boolean;
}

const none = (): readonly string[] => [];
const always = (): boolean => true;
const never = (): boolean => false;
const nicOf = (step: { readonly interface: string }): readonly string[] => [step.interface];
/** Traits of a step that touches no NIC and moves no address. */
const harmless = { nics: none, isDisruptive: never, startsNic: never, settles: false } as const;

/** Traits of every kind of step; a kind without traits does not compile. */
const traits: { readonly [K in StepKind]: StepTraits<Readonly<StepArguments[K]>> } = {
  writeProfiles: harmless,
  deleteProfiles: { ...harmless, isDisruptive: always },
  activate: {
    ...harmless,
    // A profile without an interface is that of a bridge, whose addresses are not in use yet.
    isDisruptive: ({ profiles }) => profiles.some((profile) => profile.interface !== null),
  },
  signpost: harmless,
  waitAddresses: harmless,
  changeKernel: harmless,
  claimBridge: harmless,
  attachUplink: { ...harmless, nics: nicOf, isDisruptive: always },
  clearUplink: { ...harmless, nics: nicOf, isDisruptive: always, startsNic: ({ profile }) => profile !== null },
  detachUplink: { ...harmless, nics: nicOf, isDisruptive: always, startsNic: ({ activate }) => activate },
  releaseRoutes: { ...harmless, settles: true },
  reapply: harmless,
  waitDynamic: { ...harmless, settles: true },
};

/** Returns the NICs that a step moves or configures. */
export function nicsOf(step: Step): readonly string[] {
  return traitsOf(step).nics(step);
}

/** Returns true for a step after which the node's addresses may be elsewhere. */
export function isDisruptive(step: Step): boolean {
  return traitsOf(step).isDisruptive(step);
}

/** Returns true for a step that activates a profile of a NIC. */
export function startsNic(step: Step): boolean {
  return traitsOf(step).startsNic(step);
}

/** Returns true for a step without which a rollback goes on if its time is over. */
export function settles(step: Step): boolean {
  return traitsOf(step).settles;
}

function traitsOf(step: Step): StepTraits<Step> {
  return traits[step.do] as StepTraits<Step>;
}
