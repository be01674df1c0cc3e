import { isSettings } from '../drivers/networkmanager/shapes.ts';
import type { JournalEvent, JournalHeader } from '../model/journal.ts';
import type { StepKind } from '../model/plan.ts';

/*
 * A journal is obeyed: its states decide what a recovery does, its profiles are written to NetworkManager. What is not in every part
 * of the form this version writes is not obeyed in any.
 */

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const number: Check = (value) => Number.isFinite(value);
const flag: Check = (value) => typeof value === 'boolean';
const anything: Check = () => true;
const one =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const fields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(checks).every(([name, check]) => check((value as Record<string, unknown>)[name]));

const profile = fields({ id: text, uuid: text, settings: isSettings });
const profileName = fields({ id: text, uuid: text });
const activation = fields({ id: text, uuid: text, interface: orNull(text) });
const linkAddresses = fields({ interface: text, addresses: list(text) });
const heldRoute = fields({ destination: text, gateway: orNull(text) });
const wanted = fields({
  bridges: list(
    fields({
      bridge: text,
      mac: text,
      uplink: orNull(fields({ interface: text, sourceProfile: text, sourceProfileId: text })),
      profiles: list(profile),
    }),
  ),
});

const steps: Readonly<Record<StepKind, Check>> = {
  addProfiles: fields({ profiles: list(profile) }),
  updateProfiles: fields({ profiles: list(profile) }),
  deleteProfiles: fields({ profiles: list(profileName) }),
  activate: fields({ profiles: list(activation) }),
  waitAddresses: fields({ interface: text, addresses: list(text), limitMs: number }),
  holdIpv6: fields({ interface: text, addresses: list(text), gateways: list(text), metric: number }),
  releaseIpv6: fields({ interface: text, gateways: list(text), metric: number }),
  claimBridge: fields({ bridge: text, profiles: fields({ bridge: text, port: text, interface: text }) }),
  attachUplink: fields({ bridge: text, interface: text }),
  clearUplink: fields({ interface: text, profile: orNull(profileName) }),
  detachUplink: fields({
    bridge: text,
    interface: text,
    profile: profileName,
    activate: flag,
    mac: orNull(text),
    addresses: list(text),
    routes: list(heldRoute),
    metric: number,
  }),
  waitRoutes: fields({ interface: text, destinations: list(text), heldMetric: number }),
  releaseRoutes: fields({ interface: text, routes: list(heldRoute), metric: number }),
  reapply: fields({ id: text, uuid: text, settings: orNull(isSettings) }),
  waitDynamic: fields({ id: text, uuid: text, interface: text, lease: flag, ipv6DefaultMetric: orNull(number) }),
  removeBridges: fields({ bridges: list(text) }),
};

const isStep: Check = (value) => {
  const kind = (value as { readonly do?: unknown } | null)?.do;
  return typeof kind === 'string' && Object.hasOwn(steps, kind) && steps[kind as StepKind](value);
};

const header = fields({
  id: text,
  command: text,
  agentVersion: text,
  startedAt: text,
  bootId: text,
  previous: wanted,
  plan: fields({
    outcome: one('unchanged', 'change'),
    choice: orNull(fields({ interface: orNull(text), source: text, trace: list(text) })),
    wanted,
    carried: list(
      fields({
        interface: text,
        from: text,
        addresses: list(text),
        defaultGateways: list(text),
        settlesMs: optional(number),
      }),
    ),
    before: list(linkAddresses),
    differences: list(fields({})),
    steps: list(isStep),
    notes: anything,
  }),
});

const events: Readonly<Record<JournalEvent['event'], Check>> = {
  checkpoint: fields({ path: text }),
  step: fields({ index: (value) => Number.isInteger(value) && Number(value) >= 0, tookMs: number }),
  state: fields({
    state: one(
      'open',
      'committed',
      'awaiting-confirm',
      'confirmed',
      'reverted',
      'rolled-back',
      'interrupted',
      'not-restored',
    ),
    at: text,
    detail: orNull(text),
    confirmUntil: optional(text),
  }),
};

/** True for the first line of a journal of this version's format, in all its parts. */
export function isJournalHeader(value: unknown): value is JournalHeader {
  return header(value);
}

/** True for a later line of a journal. */
export function isJournalEvent(value: unknown): value is JournalEvent {
  const kind = (value as { readonly event?: unknown } | null)?.event;
  return typeof kind === 'string' && Object.hasOwn(events, kind) && events[kind as JournalEvent['event']](value);
}
