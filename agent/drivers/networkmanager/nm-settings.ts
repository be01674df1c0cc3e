import type { ProfileSettings, SettingValue } from '../../model/profile-settings.ts';
import { decodeVariant, encodeVariant } from '../dbus/codec.ts';
import { settingsFault } from './shapes.ts';

/*
 * Conversions between `a{sa{sv}}` and ProfileSettings. Every value keeps its signature, so unknown settings survive the
 * round trip. GetSettings returns `addresses`, `routes` and `dns` in a legacy form beside `address-data`, `route-data`
 * and `dns-data` (NetworkManager D-Bus settings specification). The legacy properties are dropped, because they would
 * take precedence in a write.
 */

const legacyOf: Readonly<Record<string, string>> = {
  addresses: 'address-data',
  routes: 'route-data',
  dns: 'dns-data',
};

/**
 * Converts `a{sa{sv}}`, as dbus-next returns it, to ProfileSettings. Leaves out private keys, and properties that a
 * write would not accept. Throws a TypeError if the value does not have the form of settings.
 */
export function decodeSettings(wire: unknown): ProfileSettings {
  const settings: Record<string, Record<string, SettingValue>> = {};
  for (const [name, properties] of Object.entries(asObject(wire))) {
    const fields = asObject(properties);
    const setting: Record<string, SettingValue> = {};
    for (const [key, variant] of Object.entries(fields)) {
      const modern = legacyOf[key];
      if (modern !== undefined && (name === 'ipv4' || name === 'ipv6') && modern in fields) continue;
      if (isPrivateKey(key, variant)) continue;
      // NetworkManager 1.58 returns the list of excluded MACs twice, under an old and a new name. In a write,
      // NetworkManager accepts the old name only, and refuses the two names together.
      if (key === 'mac-address-denylist' && 'mac-address-blacklist' in fields) continue;
      setting[key] = decodeVariant(variant);
    }
    settings[name] = setting;
  }
  const fault = settingsFault(settings);
  if (fault !== null) throw new TypeError(fault);
  return settings;
}

/** Converts ProfileSettings to `a{sa{sv}}`, as a call to NetworkManager needs it. */
export function encodeSettings(settings: ProfileSettings): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, properties]) => [
      name,
      Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, encodeVariant(value)])),
    ]),
  );
}

/**
 * Returns true if the value is a private key itself; false if it is the name of a file or token that contains the key
 * (NMSetting8021xCKScheme: file://, pkcs11:).
 */
function isPrivateKey(key: string, variant: unknown): boolean {
  if (key !== 'private-key' && key !== 'phase2-private-key') return false;
  const [, value] = decodeVariant(variant);
  return !/^(file:\/\/|pkcs11:)/.test(Buffer.from(String(value), 'hex').toString('latin1'));
}

function asObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError('a NetworkManager profile must be a dictionary of dictionaries');
  }
  return value as Record<string, unknown>;
}
