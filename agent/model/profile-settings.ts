/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * A value of a NetworkManager profile with its D-Bus signature, without loss. Byte arrays (`ay`) are hex strings.
 * 64-bit integers are numbers if they are safe integers of JavaScript, and decimal strings otherwise. `a{sv}` is an
 * object of SettingValues, `a{ss}` an object of strings.
 */
export type SettingValue = readonly [signature: string, value: Json];

/** A NetworkManager profile as `GetSettings` returns it: setting name → property → value. Never holds secrets. */
export type ProfileSettings = Readonly<Record<string, Readonly<Record<string, SettingValue>>>>;

type MaybeSettings = ProfileSettings | null | undefined;

/** Returns a property as JSON; undefined if it is not set. */
export function jsonOf(settings: MaybeSettings, name: string, key: string): Json | undefined {
  return settings?.[name]?.[key]?.[1];
}

/** Returns a property that is text; undefined if it is not set. */
export function textOf(settings: MaybeSettings, name: string, key: string): string | undefined {
  const value = jsonOf(settings, name, key);
  return typeof value === 'string' ? value : undefined;
}

/** Returns a property that is a number, including one of 64 bits; undefined if it is not set. */
export function numberOf(settings: MaybeSettings, name: string, key: string): number | undefined {
  const value = jsonOf(settings, name, key);
  return value === undefined ? undefined : Number(value);
}

/** Returns a map of strings such as `user.data`; an empty object if it is not set. */
export function stringsOf(settings: MaybeSettings, name: string, key: string): Readonly<Record<string, string>> {
  return (jsonOf(settings, name, key) ?? {}) as Readonly<Record<string, string>>;
}

/**
 * Returns a list of structures such as `ipv4.address-data` without their signatures; an empty list if it is not set.
 */
export function listOf(settings: MaybeSettings, name: string, key: string): readonly Readonly<Record<string, Json>>[] {
  const list = (jsonOf(settings, name, key) ?? []) as readonly ProfileSettings[string][];
  return list.map((entry) => Object.fromEntries(Object.entries(entry).map(([field, value]) => [field, value[1]])));
}

/** Returns the static addresses of a profile in the form `address/prefix`. */
export function fixedAddresses(settings: MaybeSettings): readonly string[] {
  return ['ipv4', 'ipv6']
    .flatMap((name) => listOf(settings, name, 'address-data'))
    .map((entry) => `${entry.address}/${entry.prefix}`);
}
