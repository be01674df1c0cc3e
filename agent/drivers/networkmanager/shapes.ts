import type { ProfileSettings } from '../../model/profile-settings.ts';

/** Properties of one D-Bus object: interface → property → value as dbus-next returns it. */
export type ManagedObject = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/*
 * Checks of the form of data that another release of NetworkManager or of the agent may have written: answers of
 * NetworkManager, and settings in a journal. Code that reads values from this data relies on these checks.
 */

/**
 * Required signatures of properties (nm-settings-dbus(5)). Settings in which one of these properties has another
 * signature are rejected; the signatures of all other properties are not checked.
 */
const knownSignatures: Readonly<Record<string, string>> = {
  'connection.id': 's',
  'connection.uuid': 's',
  'connection.type': 's',
  'connection.interface-name': 's',
  'connection.master': 's',
  'connection.controller': 's',
  'user.data': 'a{ss}',
  'bond.options': 'a{ss}',
  'ipv4.method': 's',
  'ipv6.method': 's',
  'ipv4.address-data': 'aa{sv}',
  'ipv6.address-data': 'aa{sv}',
  'ipv4.route-data': 'aa{sv}',
  'ipv6.route-data': 'aa{sv}',
};

/** Returns the reason why a value is not the settings of a profile; null if the value is such settings. */
export function settingsFault(value: unknown): string | null {
  if (!isDictionary(value)) return 'a profile is not a dictionary of settings';
  for (const [name, setting] of Object.entries(value)) {
    if (!isDictionary(setting)) return `the setting ${name} is not a dictionary`;
    for (const [key, pair] of Object.entries(setting)) {
      if (!isPair(pair)) return `${name}.${key} is not a value with its signature`;
      const wanted = knownSignatures[`${name}.${key}`];
      if (wanted !== undefined && (pair[0] !== wanted || !fits(wanted, pair[1])))
        return `${name}.${key} is not of the form ${wanted}`;
    }
  }
  return null;
}

/** Returns true for settings of a profile: pairs of D-Bus signature and value, by setting and key. */
export function isSettings(value: unknown): value is ProfileSettings {
  return settingsFault(value) === null;
}

/** Returns true for a value that has the form of an answer to GetManagedObjects. */
export function isManagedObjects(value: unknown): value is Readonly<Record<string, ManagedObject>> {
  return (
    isDictionary(value) &&
    Object.values(value).every((object) => isDictionary(object) && Object.values(object).every(isDictionary))
  );
}

function fits(signature: string, value: unknown): boolean {
  if (signature === 's') return typeof value === 'string';
  if (signature === 'a{ss}')
    return isDictionary(value) && Object.values(value).every((item) => typeof item === 'string');
  return Array.isArray(value) && value.every((item) => isDictionary(item) && Object.values(item).every(isPair));
}

function isPair(value: unknown): value is readonly [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && value[1] !== undefined;
}

function isDictionary(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
