import type { PlanNote } from '../model/plan.ts';
import type { Json, ProfileSettings, SettingValue } from '../model/settings.ts';

/*
 * Which of the admin's settings goes where. The rule is "everything moves": IP settings and what depends on the address go to the
 * bridge's own interface, everything about the device stays with the device, and a setting nobody here has heard of stays with
 * the device too, because that is where the admin put it.
 */

/** Whole settings that follow the address. */
const addressSettings: ReadonlySet<string> = new Set(['ipv4', 'ipv6', 'proxy', 'hostname', 'user']);

/** Properties of `connection` that follow the address; the others stay with the device. */
const addressConnectionKeys: ReadonlySet<string> = new Set([
  'zone',
  'mdns',
  'llmnr',
  'dns-over-tls',
  'dnssec',
  'metered',
  'secondaries',
  'stable-id',
  'gateway-ping-timeout',
  'ip-ping-addresses',
  'ip-ping-addresses-require-all',
  'ip-ping-timeout',
  'mptcp-flags',
  'mud-url',
]);

/** Properties that belong on both: who may use the profile, and how often it is tried again (it is the bridge that waits for a lease). */
const sharedConnectionKeys: ReadonlySet<string> = new Set(['permissions', 'autoconnect-retries']);

/** Properties of `connection` that name or place the profile; ours have their own. */
const ownConnectionKeys: ReadonlySet<string> = new Set([
  'id',
  'uuid',
  'type',
  'interface-name',
  'autoconnect',
  'autoconnect-priority',
  'autoconnect-slaves',
  'autoconnect-ports',
  'master',
  'slave-type',
  'controller',
  'port-type',
  'timestamp',
  'read-only',
]);

/** What an admin can mean by such a property, and why our profiles say something else. */
const notCarried: Readonly<Record<string, { readonly usual: readonly Json[]; readonly why: string }>> = {
  autoconnect: { usual: [true], why: 'the profiles of the bridge connect by themselves once they are proven' },
  'autoconnect-priority': { usual: [0], why: 'the profiles of the bridge come before all others' },
  'autoconnect-slaves': { usual: [-1], why: 'the ports are started with their copies' },
  'autoconnect-ports': { usual: [-1], why: 'the ports are started with their copies' },
};

/** Says which properties of the admin's profile none of ours has, and why. */
export function notCarriedNotes(id: string, source: ProfileSettings): readonly PlanNote[] {
  return Object.entries(notCarried).flatMap(([key, { usual, why }]): readonly PlanNote[] => {
    const value = source.connection?.[key]?.[1];
    if (value === undefined || usual.includes(value)) return [];
    return [{ level: 'info', message: `connection.${key} ${String(value)} of ${id} is not carried over: ${why}` }];
  });
}

export interface TransferredSettings {
  /** Goes to ovs-if-br-ex. */
  readonly address: ProfileSettings;
  /** Goes to ovs-if-phys0. */
  readonly device: ProfileSettings;
}

/** Splits the admin's profile into what follows the address and what stays with the device; nothing is left out. */
export function transferSettings(source: ProfileSettings): TransferredSettings {
  const address: Record<string, Record<string, SettingValue>> = {};
  const device: Record<string, Record<string, SettingValue>> = {};
  for (const [name, setting] of Object.entries(source)) {
    if (name === 'connection') continue;
    (addressSettings.has(name) ? address : device)[name] = { ...setting };
  }
  for (const [key, value] of Object.entries(source.connection ?? {})) {
    if (ownConnectionKeys.has(key)) continue;
    const follows = addressConnectionKeys.has(key);
    if (follows || sharedConnectionKeys.has(key)) address.connection = { ...address.connection, [key]: value };
    if (!follows) device.connection = { ...device.connection, [key]: value };
  }
  return { address, device };
}
