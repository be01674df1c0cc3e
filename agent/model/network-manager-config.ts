/*
 * NetworkManager's own configuration (NetworkManager.conf(5)) as its files set it, and the devices and profiles to
 * which a section applies.
 */

/** A section of NetworkManager.conf and of the files in conf.d, with the merged values of all files. */
export interface ConfigSection {
  /** Name of the section: `main`, `keyfile`, `device-wifi`, `connection`, … */
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
  /** Last file that sets or changes the value of a key, by key. */
  readonly files: Readonly<Record<string, string>>;
}

/** A value, with the section and file in which it is set. */
export interface ConfigValue {
  readonly value: string;
  readonly section: string;
  readonly file: string;
}

/** Properties by which a device list can name a device. A device that does not exist yet has no MAC. */
export interface MatchedDevice {
  readonly name: string;
  /** Type of the device, as nm-settings(5) names a connection of this type: `ethernet`, `ovs-interface`, … */
  readonly type: string;
  readonly mac?: string;
  readonly driver?: string;
}

/**
 * Splits a list of NetworkManager's configuration. Commas and semicolons separate its items; a backslash escapes them.
 */
export function configList(value: string | undefined): readonly string[] {
  const words = value?.match(/(?:\\.|[^,;\\])+/g) ?? [];
  return words.map((word) => word.trim().replaceAll(/\\([,;\\])/g, '$1')).filter((word) => word !== '');
}

/**
 * Returns true if a device list of NetworkManager.conf(5) ("Device List Format") includes a device, false if the list
 * excludes the device, and null if it does neither. An exclusion takes precedence. A list that contains only exclusions
 * includes all other devices (src/core/nm-core-utils.c, nm_match_spec_device).
 */
export function namesDevice(list: readonly string[], device: MatchedDevice): boolean | null {
  return verdictOf(list, (entry, isExcept) => isDevice(entry, device, !isExcept));
}

/**
 * Returns true if a connection list includes a profile, false if the list excludes the profile, and null if it does
 * neither. The entry `*` and entries with `id:` or `uuid:` are evaluated; any other entry, such as one with `origin:`,
 * counts as no match.
 */
export function namesProfile(list: readonly string[], { id, uuid }: { id: string; uuid: string }): boolean | null {
  return verdictOf(list, (entry) => entry === '*' || entry === `id:${id}` || entry === `uuid:${uuid}`);
}

function verdictOf(list: readonly string[], isNamed: (entry: string, isExcept: boolean) => boolean): boolean | null {
  const entries = list.map((word) => ({ isExcept: /^except:/i.test(word), entry: word.replace(/^except:/i, '') }));
  const hit = (except: boolean): boolean =>
    entries.some(({ isExcept, entry }) => isExcept === except && isNamed(entry, isExcept));
  if (hit(true)) return false;
  if (hit(false)) return true;
  return entries.length > 0 && entries.every(({ isExcept }) => isExcept) ? true : null;
}

function isDevice(entry: string, { name, type, mac, driver }: MatchedDevice, mayBeBare: boolean): boolean {
  if (entry === '*') return true;
  const [, tag = '', value = ''] = /^(interface-name|type|mac|driver):(.*)$/i.exec(entry) ?? [];
  const isMac = (text: string): boolean => mac !== undefined && text.toUpperCase() === mac.toUpperCase();
  switch (tag.toLowerCase()) {
    case 'interface-name':
      if (value.startsWith('=')) return value.slice(1) === name;
      return value === name || isGlobFor(value.replace(/^~/, ''), name);
    case 'type':
      return value === type;
    case 'mac':
      return isMac(value);
    case 'driver':
      return driver !== undefined && value.split('/')[0] === driver;
    default:
      return mayBeBare && (entry === name || isMac(entry));
  }
}

/**
 * Matches a name against a pattern as GLib's g_pattern_match does: only `*` and `?` are special. After a mismatch, the
 * last star is extended by one character.
 */
function isGlobFor(pattern: string, name: string): boolean {
  let [at, star, taken] = [0, -1, 0];
  for (let letter = 0; letter < name.length; ) {
    if (pattern[at] === '*') {
      [star, taken] = [at, letter];
      at += 1;
    } else if (pattern[at] === '?' || pattern[at] === name[letter]) {
      at += 1;
      letter += 1;
    } else {
      if (star === -1) return false;
      taken += 1;
      [at, letter] = [star + 1, taken];
    }
  }
  return /^\**$/.test(pattern.slice(at));
}

/**
 * Returns the value of a key that applies to a device; null if no section sets it. `sections` are ordered by
 * precedence, highest first; `kind` is the beginning of the names of the sections that are read. A section that applies
 * to the device and has `stop-match` ends the search (NetworkManager.conf(5)).
 */
export function deviceValue(
  sections: readonly ConfigSection[],
  kind: 'device' | 'connection',
  key: string,
  device: MatchedDevice,
): ConfigValue | null {
  for (const { name, values, files } of sections.filter((section) => section.name.startsWith(kind))) {
    const match = values['match-device'];
    const isStop = isTrue(values['stop-match']);
    if (values[key] === undefined && !isStop) continue;
    if (match !== undefined && namesDevice(configList(match), device) !== true) continue;
    const value = values[key];
    return value === undefined ? null : { value, section: name, file: files[key] ?? '' };
  }
  return null;
}

/** Parses a boolean as NetworkManager does (nm_config_parse_boolean). */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && ['1', 'true', 'yes', 'on'].includes(value.trim().toLowerCase());
}
