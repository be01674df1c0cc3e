import type { ProfileSettings, SettingValue } from '../../model/settings.ts';
import { decodeVariant, encodeVariant } from '../dbus/codec.ts';

/*
 * Twins between `a{sa{sv}}` and ProfileSettings. Every value keeps its signature, so unknown settings survive the round trip.
 * GetSettings repeats `addresses`, `routes` and `dns` in a legacy form beside `address-data`, `route-data` and `dns-data`
 * (NetworkManager D-Bus settings specification); the legacy ones are dropped, or they would win when written back.
 */

const legacyOf: Readonly<Record<string, string>> = {
  addresses: 'address-data',
  routes: 'route-data',
  dns: 'dns-data',
};

/** `a{sa{sv}}` as dbus-next hands it out → ProfileSettings. */
export function decodeSettings(wire: unknown): ProfileSettings {
  const settings: Record<string, Record<string, SettingValue>> = {};
  for (const [name, properties] of Object.entries(asObject(wire))) {
    const fields = asObject(properties);
    const setting: Record<string, SettingValue> = {};
    for (const [key, variant] of Object.entries(fields)) {
      const modern = legacyOf[key];
      if (modern !== undefined && (name === 'ipv4' || name === 'ipv6') && modern in fields) continue;
      setting[key] = decodeVariant(variant);
    }
    settings[name] = setting;
  }
  return settings;
}

/** ProfileSettings → `a{sa{sv}}`; the twin of decodeSettings. */
export function encodeSettings(settings: ProfileSettings): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, properties]) => [
      name,
      Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, encodeVariant(value)])),
    ]),
  );
}

function asObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError('a NetworkManager profile must be a dictionary of dictionaries');
  }
  return value as Record<string, unknown>;
}
