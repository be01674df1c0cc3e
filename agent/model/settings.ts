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
