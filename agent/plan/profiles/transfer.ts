import type { ProfileSettings, SettingValue } from '../../model/settings.ts';

/*
 * Which of the admin's settings go to the bridge's own interface: IP settings and what depends on the address. Everything about the device
 * (802.1X, ethtool, VLAN, bond, MTU, …), and every setting nobody here has heard of, stays in the profile that the NIC goes on running.
 */

/** Whole settings that follow the address. */
const wholeSettings: readonly string[] = ['ipv4', 'ipv6', 'proxy', 'hostname', 'user'];

/** Properties of `connection` that make NetworkManager ping before a profile counts as active. */
export const pingKeys: readonly string[] = [
  'gateway-ping-timeout',
  'ip-ping-addresses',
  'ip-ping-addresses-require-all',
  'ip-ping-timeout',
];

/**
 * Properties of `connection` that follow the address, and two that count on both sides: who may use the profile, and how often it is tried
 * again (it is the bridge that waits for a lease).
 */
const connectionKeys: readonly string[] = [
  'zone',
  'mdns',
  'llmnr',
  'dns-over-tls',
  'dnssec',
  'metered',
  'secondaries',
  'stable-id',
  ...pingKeys,
  'mptcp-flags',
  'mud-url',
  'permissions',
  'autoconnect-retries',
];

/** What of the admin's profile the bridge's own interface gets. */
export function addressSettings(source: ProfileSettings): ProfileSettings {
  const settings: Record<string, Readonly<Record<string, SettingValue>>> = {};
  for (const name of wholeSettings) if (source[name] !== undefined) settings[name] = { ...source[name] };
  const connection = Object.entries(source.connection ?? {}).filter(([key]) => connectionKeys.includes(key));
  if (connection.length > 0) settings.connection = Object.fromEntries(connection);
  return settings;
}
