import { isAgentError } from '../../errors.ts';
import type { ProfileSettings, SettingValue } from '../../model/profile-settings.ts';
import type { MethodCall } from '../dbus/bus-connection.ts';
import { DBusReplyError } from '../dbus/dbus-errors.ts';
import { callsTo, deviceInterface } from './nm-names.ts';
import { decodeSettings, encodeSettings } from './nm-settings.ts';

type Request = (what: string, call: Omit<MethodCall, 'destination'>) => Promise<unknown[]>;

/** Flag of NMDeviceReapplyFlags that keeps addresses that NetworkManager did not add itself. */
const preserveExternalIp = 0x1;

/** Settings that NetworkManager can change in place completely (nm-device.c, can_reapply_change). */
const wholeSettings = ['ipv4', 'ipv6', 'proxy', 'user', 'ovs-external-ids', 'ovs-other-config'] as const;
/** Properties of `connection` that NetworkManager can change in place. */
const connectionKeys = ['zone', 'metered', 'lldp', 'mdns', 'llmnr', 'dns-over-tls', 'dnssec', 'mptcp-flags'] as const;

/**
 * Changes the configuration of an activated device in place. NetworkManager refuses the whole change if it cannot
 * change one of the properties in place, for example because the settings are those of a profile that is not active.
 * After a refusal, the function changes only the properties that can be changed in place; the next activation changes
 * the others.
 */
export async function reapply(
  request: Request,
  devicePath: string,
  settings: ProfileSettings | null,
  ofProfile: () => Promise<ProfileSettings>,
): Promise<void> {
  await send(request, devicePath, settings ?? {}).catch(async (error: unknown) => {
    if (replyName(error) !== 'org.freedesktop.NetworkManager.Device.IncompatibleConnection') throw error;
    const [applied, wanted] = await Promise.all([appliedSettings(request, devicePath), settings ?? ofProfile()]);
    await send(request, devicePath, merge(applied, wanted));
  });
}

/**
 * Removes the IP settings from an activated device in place: it reapplies the current settings with IPv4 and IPv6
 * disabled. Addresses that NetworkManager did not add itself are removed as well. The link settings are those of the
 * applied profile and so do not change.
 */
export async function clearIpSettings(request: Request, devicePath: string): Promise<void> {
  const applied = await appliedSettings(request, devicePath);
  const disabled = { method: ['s', 'disabled'] } as const;
  await send(request, devicePath, { ...applied, ipv4: disabled, ipv6: disabled }, 0);
}

async function send(
  request: Request,
  devicePath: string,
  settings: ProfileSettings,
  flags = preserveExternalIp,
): Promise<void> {
  const call = (givenFlags: number) =>
    callsTo(devicePath, deviceInterface)('Reapply', 'a{sa{sv}}tu', encodeSettings(settings), 0n, givenFlags);
  const what = 'change the configuration of a device in place';
  await request(what, call(flags)).catch(async (error: unknown) => {
    // The call is repeated without flags, because NetworkManager before 1.42 knows no flags and refuses a call that has
    // one.
    if (!isInvalidFlags(error)) throw error;
    await request(what, call(0));
  });
}

/** Returns the settings that NetworkManager has applied to an activated device. */
export async function appliedSettings(request: Request, devicePath: string): Promise<ProfileSettings> {
  const call = callsTo(devicePath, deviceInterface)('GetAppliedConnection', 'u', 0);
  return decodeSettings((await request('read what is applied to a device', call))[0]);
}

/**
 * Returns the applied settings with the desired values, as far as NetworkManager can change them in place: some
 * settings as a whole, and some properties of `connection`. A whole setting that is not among the desired ones stays as
 * it is applied.
 */
export function merge(applied: ProfileSettings, wanted: ProfileSettings): ProfileSettings {
  const merged: Record<string, Readonly<Record<string, SettingValue>>> = { ...applied };
  for (const name of wholeSettings) {
    const setting = wanted[name];
    if (setting !== undefined) merged[name] = setting;
  }
  const connection: Record<string, SettingValue> = { ...applied.connection };
  for (const key of connectionKeys) {
    const value = wanted.connection?.[key];
    if (value === undefined) delete connection[key];
    else connection[key] = value;
  }
  return { ...merged, connection };
}

function isInvalidFlags(error: unknown): boolean {
  return isAgentError(error) && error.cause instanceof DBusReplyError && /flags/i.test(error.cause.message);
}

function replyName(error: unknown): string | null {
  return isAgentError(error) && error.cause instanceof DBusReplyError ? error.cause.errorName : null;
}
