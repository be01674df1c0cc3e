import type { Outage, Step, StepArguments, StepKind } from './plan.ts';

/** NIC that a step moves or configures, and the outage that the step causes there. */
interface Touch {
  readonly nic: string;
  /**
   * Expected outage, as measured on a booted test node, whose NIC is virtual (docs/lab/measurements.md). The driver of
   * a real NIC may need additional time.
   */
  readonly outage: Outage;
}

/** Properties of a kind of step, on which decisions of the planner, the transaction and the rollback depend. */
interface StepTraits<Arguments> {
  /**
   * Returns the NIC of the step, which NetworkManager may have to activate again. The function is null for a kind of
   * step that touches no NIC.
   */
  readonly touches: ((step: Arguments) => Touch) | null;
  /**
   * Returns true if the node's addresses may be on another interface after the step. Hosts that have to answer after
   * such a step are asked before it as well (ping, DNS), to learn which of them answer at all.
   */
  readonly isDisruptive: (step: Arguments) => boolean;
  /**
   * Returns true if the step activates a profile of a NIC, which may carry no traffic for a while (LACP, spanning
   * tree).
   */
  readonly startsNic: (step: Arguments) => boolean;
  /**
   * True if the step waits for a lease or for routes of the NIC. A rollback continues after a timeout of such a step,
   * because the NIC keeps the addresses and routes that the agent has added.
   */
  readonly settles: boolean;
}

const always = (): boolean => true;
const never = (): boolean => false;
/** Properties of a step that neither moves nor configures a NIC, and that moves no address. */
const harmless = { touches: null, isDisruptive: never, startsNic: never, settles: false } as const;

/** Properties of every kind of step; the compiler rejects a kind without an entry. */
const traits: { readonly [K in StepKind]: StepTraits<Readonly<StepArguments[K]>> } = {
  writeProfiles: harmless,
  deleteProfiles: { ...harmless, isDisruptive: always },
  activate: {
    ...harmless,
    // A profile for which the step names an interface is that of a NIC. All other profiles are those of a bridge, whose
    // activation moves no address that is in use.
    isDisruptive: ({ profiles }) => profiles.some((profile) => profile.interface !== null),
  },
  signpost: harmless,
  waitAddresses: harmless,
  changeKernel: harmless,
  claimBridge: harmless,
  attachUplink: {
    ...harmless,
    touches: (step) => ({
      nic: step.interface,
      outage: { expectedMs: 100, why: 'the bridge has the addresses before the NIC moves; measured: under 100 ms' },
    }),
    isDisruptive: always,
  },
  clearUplink: {
    ...harmless,
    touches: (step) => ({
      nic: step.interface,
      outage: { expectedMs: 0, why: 'the NIC is changed in place while the bridge answers' },
    }),
    isDisruptive: always,
    startsNic: ({ profile }) => profile !== null,
  },
  detachUplink: {
    ...harmless,
    touches: (step) => ({
      nic: step.interface,
      outage: step.activate
        ? { expectedMs: 500, why: 'the NIC leaves the profile that configure-ovs.sh gave it' }
        : { expectedMs: 100, why: 'the NIC has the addresses before it leaves the bridge; measured: under 100 ms' },
    }),
    isDisruptive: always,
    startsNic: ({ activate }) => activate,
  },
  releaseRoutes: { ...harmless, settles: true },
  reapply: harmless,
  waitDynamic: { ...harmless, settles: true },
};

/** Returns the NIC that a step moves or configures, with the outage there; null if the step does neither. */
export function touchOf(step: Step): Touch | null {
  return traitsOf(step).touches?.(step) ?? null;
}

/** Returns true for a step after which the node's addresses may be on another interface. */
export function isDisruptive(step: Step): boolean {
  return traitsOf(step).isDisruptive(step);
}

/** Returns true for a step that activates a profile of a NIC. */
export function startsNic(step: Step): boolean {
  return traitsOf(step).startsNic(step);
}

/** Returns true for a step whose timeout does not stop a rollback. */
export function settles(step: Step): boolean {
  return traitsOf(step).settles;
}

function traitsOf(step: Step): StepTraits<Step> {
  return traits[step.do] as StepTraits<Step>;
}
