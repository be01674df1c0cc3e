import { isSettings } from '../../drivers/networkmanager/shapes.ts';
import { type JournalEvent, type JournalHeader, transactionStates } from '../../model/journal.ts';

/*
 * Validation of journals. The agent acts on the content of a journal: the states decide what a recovery does, and the
 * profiles are written to NetworkManager. A journal is therefore rejected if any part of its first line does not have
 * the form that this version writes. Other lines without this form are ignored.
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
const linkAddresses = fields({ interface: text, addresses: list(text) });
const strings: Check = (value) => fields({})(value) && list(text)(Object.values(value as object));
const entries = fields({
  interface: text,
  addresses: list(
    fields({
      address: text,
      metric: orNull(number),
      noDad: flag,
      deprecated: flag,
      behindOwn: optional(flag),
      peer: optional(text),
      broadcast: optional(text),
      scope: optional(text),
      label: optional(text),
      flags: optional(list(text)),
      protocol: optional(text),
      validSeconds: optional(orNull(number)),
      preferredSeconds: optional(orNull(number)),
    }),
  ),
  routes: list(
    fields({
      destination: text,
      gateway: orNull(text),
      source: orNull(text),
      metric: orNull(number),
      mtuBytes: orNull(number),
      table: orNull(text),
      type: optional(text),
      scope: optional(text),
      protocol: optional(text),
      options: optional(list(text)),
      nextHops: optional(list(list(text))),
    }),
  ),
  neighbours: list(fields({ address: text, mac: text })),
  rules: optional(list(fields({ family: one(4, 6), words: list(text) }))),
  unmovable: optional(list(text)),
});
const wanted = fields({
  microshift: optional(
    list(
      fields({
        bridge: text,
        datapathType: optional(text),
        externalIds: strings,
        otherConfig: strings,
        up: flag,
        entries,
      }),
    ),
  ),
  added: optional(list(fields({ bridge: text, interface: text, routeMetric: number }))),
  given: optional(list(entries)),
  bridges: list(
    fields({
      bridge: text,
      mac: text,
      uplink: orNull(fields({ interface: text, sourceProfile: text, sourceProfileId: text })),
      profiles: list(profile),
      foreign: optional(entries),
      loopback: optional(list(text)),
      signpost: optional(flag),
    }),
  ),
});

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
    // The steps of a journal are shown but never run again, so kinds of step of other versions are valid.
    steps: list(fields({ do: text, why: text })),
    notes: anything,
  }),
});

const events: Readonly<Record<JournalEvent['event'], Check>> = {
  checkpoint: fields({ path: text }),
  step: fields({ index: (value) => Number.isInteger(value) && Number(value) >= 0, tookMs: number }),
  state: fields({
    state: one(...transactionStates),
    at: text,
    detail: orNull(text),
    later: optional(orNull(text)),
    confirmUntil: optional(text),
  }),
};

/** Returns true if the value is the first line of a journal and all its parts have this version's format. */
export function isJournalHeader(value: unknown): value is JournalHeader {
  return header(value);
}

/** Returns true if the value is a valid later line of a journal. */
export function isJournalEvent(value: unknown): value is JournalEvent {
  const kind = (value as { readonly event?: unknown } | null)?.event;
  return typeof kind === 'string' && Object.hasOwn(events, kind) && events[kind as JournalEvent['event']](value);
}
