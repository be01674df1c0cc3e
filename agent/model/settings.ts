/** JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * One value of a NetworkManager profile, lossless: D-Bus signature and value.
 * Byte arrays (`ay`) are hex strings, 64-bit integers are numbers while safe and decimal strings beyond,
 * `a{sv}` is an object of SettingValues, `a{ss}` an object of strings.
 */
export type SettingValue = readonly [signature: string, value: Json];

/** A NetworkManager profile as `GetSettings` returns it: setting name → property → value. Never holds secrets. */
export type ProfileSettings = Readonly<Record<string, Readonly<Record<string, SettingValue>>>>;

type MaybeSettings = ProfileSettings | null | undefined;

/** A property as JSON; undefined: it is not set. */
export function jsonOf(settings: MaybeSettings, name: string, key: string): Json | undefined {
  return settings?.[name]?.[key]?.[1];
}

/** A property that is text; undefined: it is not set. */
export function textOf(settings: MaybeSettings, name: string, key: string): string | undefined {
  const value = jsonOf(settings, name, key);
  return typeof value === 'string' ? value : undefined;
}

/** A property that is a number, of 64 bits, too; undefined: it is not set. */
export function numberOf(settings: MaybeSettings, name: string, key: string): number | undefined {
  const value = jsonOf(settings, name, key);
  return value === undefined ? undefined : Number(value);
}

/** Strings by name, such as `user.data`; empty when it is not set. */
export function stringsOf(settings: MaybeSettings, name: string, key: string): Readonly<Record<string, string>> {
  return (jsonOf(settings, name, key) ?? {}) as Readonly<Record<string, string>>;
}

/** A list of structures without their signatures, such as `ipv4.address-data`; empty when it is not set. */
export function listOf(settings: MaybeSettings, name: string, key: string): readonly Readonly<Record<string, Json>>[] {
  const list = (jsonOf(settings, name, key) ?? []) as unknown as readonly ProfileSettings[string][];
  return list.map((entry) => Object.fromEntries(Object.entries(entry).map(([field, value]) => [field, value[1]])));
}

/** Addresses a profile sets by itself, as `address/prefix`. */
export function fixedAddresses(settings: MaybeSettings): readonly string[] {
  return ['ipv4', 'ipv6']
    .flatMap((name) => listOf(settings, name, 'address-data'))
    .map((entry) => `${entry.address}/${entry.prefix}`);
}
