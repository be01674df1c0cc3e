// Text of a plan for the file of a case: the trace of the choice, and one complete line per step. A few cases have
// whole profiles.
import { inWords } from '../../../agent/compare/in-words.ts';
import { profileUuid } from '../../../agent/model/names.ts';
import type { Plan, Step, WantedBridge, WantedProfile } from '../../../agent/model/plan.ts';
import type { ProfileSettings } from '../../../agent/model/profile-settings.ts';

/** Returns the lines of a plan; `whole` includes the properties that identify its profiles. */
export function planLines(plan: Plan, whole: boolean): readonly string[] {
  const { outcome, outage, choice, carried, notes, wanted, steps } = plan;
  const { bridges, ...others } = wanted;
  const profiles = bridges.flatMap((bridge) => bridge.profiles);
  return [
    ...traceLines(choice?.trace ?? []),
    ...choiceLines(plan),
    `outcome     ${outcome}, silent for ${outage.expectedMs} ms at most: ${outage.why}`,
    ...carried.map(({ from, interface: to, ...moved }) => `moves       ${from} -> ${to} ${words(moved)}`),
    ...beforeLines(plan),
    ...differenceLines(plan),
    ...notes.map(({ level, message }) => `${level.padEnd(11)} ${message}`),
    ...bridges.flatMap((bridge) => bridgeLines(bridge, whole)),
    ...(Object.keys(others).length === 0 ? [] : [`wanted      ${words(others)}`]),
    ...steps.map((step, index) => `${`step ${index + 1}`.padEnd(11)} ${stepLine(step, profiles)}`),
  ];
}

/** Returns the lines of the chosen NICs, and the messages about them. */
export function chosenLines({ choice, wanted, notes }: Plan): readonly string[] {
  return [
    ...traceLines(choice?.trace ?? []),
    ...choiceLines({ choice }),
    ...wanted.bridges.map(
      ({ bridge, uplink, mac }) => `bridge      ${bridge} uplink=${uplink?.interface ?? 'none'} mac=${mac}`,
    ),
    ...notes.map(({ level, message }) => `${level.padEnd(11)} ${message}`),
  ];
}

/** Returns the lines of the decisions about the uplink. */
export function traceLines(trace: readonly string[]): readonly string[] {
  return trace.map((line) => `trace       ${line}`);
}

/** Returns the lines `before`: a link's addresses, unless a line `moves` has them; `none` for a link without any. */
function beforeLines({ before, carried }: Plan): readonly string[] {
  const isMoved = (name: string, addresses: readonly string[]): boolean =>
    carried.some(({ from, addresses: moved }) => from === name && moved.join() === addresses.join());
  const missing = carried.filter(({ from, addresses }) => {
    return addresses.length > 0 && !before.some((one) => one.interface === from);
  });
  return [
    ...before
      .filter(({ interface: name, addresses }) => !isMoved(name, addresses))
      .map(({ interface: name, addresses }) => `before      ${name} ${addresses.join(' ')}`),
    ...missing.map(({ from }) => `before      ${from} none`),
  ];
}

/**
 * Returns the lines of the differences. If br-ex or br-ex1 appears or disappears together with the agent's profiles of
 * the bridge, of its port and of its interface, these four differences have one line.
 */
function differenceLines({ differences }: Plan): readonly string[] {
  let text = differences
    .map(inWords)
    .map(({ subject, observed, wanted }) => `difference  ${subject}: ${observed} -> ${wanted}\n`)
    .join('');
  for (const bridge of ['br-ex', 'br-ex1']) {
    const ids = [bridge, `ovs-port-${bridge}`, `ovs-if-${bridge}`];
    const together = (profiles: readonly string[], change: string): void => {
      const lines = [...profiles.map((profile) => `profile ${profile}`), `bridge ${bridge}`];
      const apart = lines.map((subject) => `difference  ${subject}: ${change}\n`).join('');
      text = text.replace(apart, `difference  bridge ${bridge} with its three profiles: ${change}\n`);
    };
    together(ids, 'absent -> present');
    together(
      ids.map((id) => `${id} (${profileUuid(id)})`),
      'present -> absent',
    );
  }
  return text.split('\n').slice(0, -1);
}

/** Returns the line of the chosen NIC, unless the trace contains it. */
function choiceLines({ choice }: Pick<Plan, 'choice'>): readonly string[] {
  if (choice === null) return [];
  const { interface: name, source, trace } = choice;
  const isTraced = trace.includes(`interface=${name} source=${source.replaceAll(' ', '-')} verdict=chosen`);
  return isTraced ? [] : [`choice      ${name ?? 'none'}: ${source}`];
}

function bridgeLines({ bridge, uplink, mac, profiles, ...rest }: WantedBridge, whole: boolean): readonly string[] {
  const ids = profiles.map(({ id }) => id).join(' ');
  /** Usual settings of the profiles of a bridge and of its port. */
  const usual: Readonly<Record<string, string>> = {
    [bridge]: 'ovs-bridge.fail-mode=standalone',
    [`ovs-port-${bridge}`]: 'ovs-port={}',
  };
  const nic = uplink === null ? 'none' : `${uplink.interface} (${uplink.sourceProfileId} ${uplink.sourceProfile})`;
  return [
    `bridge      ${bridge} uplink=${nic} mac=${mac} ${words(rest)}`.trimEnd(),
    ...(ids === `${bridge} ovs-port-${bridge} ovs-if-${bridge}` ? [] : [`profiles    ${ids}`.trimEnd()]),
    ...profiles.flatMap(({ id, uuid, settings }) => {
      const shown = words(whole ? { uuid, ...flat(settings) } : withoutIdentity(flat(settings)));
      return usual[id] === shown ? [] : [`profile     ${id} ${shown}`.trimEnd()];
    }),
  ];
}

/**
 * Returns a step in one line: its kind, its object and its reason. For a profile, the line has only the values that the
 * step changes.
 */
function stepLine(step: Step, wanted: readonly WantedProfile[]): string {
  const settingsOf = (uuid: string): ProfileSettings => wanted.find((profile) => profile.uuid === uuid)?.settings ?? {};
  const otherwise = (uuid: string, settings: ProfileSettings): string =>
    words(unlike(flat(settings), flat(settingsOf(uuid))));
  const { why } = step;
  const line = (what: string): string => `${step.do} ${what}`.trimEnd().concat(`: ${why}`);
  switch (step.do) {
    case 'writeProfiles':
      return line(step.profiles.map(({ id, uuid, settings }) => `${id} [${otherwise(uuid, settings)}]`).join(' '));
    case 'reapply':
      return line(`${step.id} [${step.settings === null ? 'as its profile' : otherwise(step.uuid, step.settings)}]`);
    default: {
      const { do: _, why: __, ...rest } = step;
      return line(words(withNames(rest)));
    }
  }
}

/**
 * Returns the arguments of a step, with profiles by their ids only, because the UUIDs of the agent's profiles are
 * constant.
 */
function withNames(fields: object): object {
  const named = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(named);
    const { id, uuid, ...rest } = Object(value) as { id?: unknown; uuid?: unknown };
    const isProfile = id !== undefined && uuid !== undefined;
    return isProfile ? [id, ...Object.values(rest).filter((item) => item !== null)].join(' on ') : value;
  };
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => name !== 'uuid')
      .map(([name, value]) => [name, named(value)]),
  );
}

/** Properties that follow from the names of the bridge and its uplink; the cases with whole profiles contain them. */
const identity =
  /^(connection\.(id|uuid|type|interface-name|autoconnect|master|slave-type)|user\.data|ovs-external-ids\.data)$/;

function withoutIdentity(settings: Flat): Flat {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !identity.test(name)));
}

type Flat = Readonly<Record<string, unknown>>;

/** Returns the settings of a profile by `setting.property`, without D-Bus signatures. */
function flat(settings: ProfileSettings): Flat {
  const entries: [string, unknown][] = [];
  for (const [setting, properties] of Object.entries(settings)) {
    if (Object.keys(properties).length === 0) entries.push([setting, {}]);
    for (const [name, [, value]] of Object.entries(properties)) entries.push([`${setting}.${name}`, value]);
  }
  return Object.fromEntries(entries);
}

/** Returns the entries of `value` that differ from those of `base`; null for an entry that only `base` has. */
function unlike(value: Flat, base: Flat): Flat {
  const names = [...new Set([...Object.keys(value), ...Object.keys(base)])];
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(value[name]) !== JSON.stringify(base[name]))
      .map((name) => [name, value[name] ?? null]),
  );
}

/** Returns the fields of an object in one line, `name=value`, without JSON's quotation marks and braces. */
function words(fields: object): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(plain(value))}`)
    .join(' ')
    .replaceAll(/\\?"/g, (quote) => (quote === '"' ? '' : '"'));
}

/** Returns a value without the D-Bus signatures inside it. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const [signature, inner] = value as unknown[];
    const isTagged = value.length === 2 && signatures.includes(String(signature));
    return isTagged ? plain(inner) : value.map(plain);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

const signatures = ['s', 'b', 'i', 'u', 'x', 't', 'y', 'd', 'as', 'au', 'ay', 'aau', 'aay', 'a{ss}', 'a{sv}', 'aa{sv}'];
