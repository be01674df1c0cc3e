import type { Json, SettingValue } from '../../model/profile-settings.ts';
import { type Bus, daemonName } from '../dbus/bus-connection.ts';
import { encodeVariant, toPlain } from '../dbus/codec.ts';
import type { NetworkManager } from './nm-client.ts';
import { deviceInterface, deviceState, dhcp4Interface, dhcp6Interface, profileInterface } from './nm-names.ts';
import { encodeSettings } from './nm-settings.ts';
import type { ManagedObject } from './shapes.ts';

/*
 * Calls of NetworkManager's dispatcher, which runs the scripts in /etc/NetworkManager/dispatcher.d
 * (NetworkManager-dispatcher(8)). NetworkManager runs them with the action `up` only after an activation; a change of a
 * device in place causes `reapply`. The D-Bus method `Action` is internal to NetworkManager and unchanged since 1.16
 * (src/nm-dispatcher/nm-dispatcher.xml). Newer releases also have `Action2` with more arguments, and NetworkManager
 * itself uses `Action` if that fails.
 */

const dispatcher = 'org.freedesktop.nm_dispatcher';
/**
 * Time limit for the start of the dispatcher. systemd starts it in milliseconds, and it ends by itself when it is idle.
 */
const startMs = 5_000;
/**
 * Time limit for the dispatcher's answer, which arrives when every script has ended. Scripts may run for minutes; they
 * continue after the limit.
 */
const scriptsMs = 10_000;

/**
 * Runs the dispatcher scripts with the action `up` for a device and its active profile, as NetworkManager would after
 * an activation. Resolves when the scripts have ended. Rejects if they take longer than the time limit, or if the
 * dispatcher or the device does not exist. `addresses` are the addresses of the device (`address/prefix`) that do not
 * come from other programs.
 */
export async function dispatchUp(
  bus: Bus,
  nm: NetworkManager,
  devicePath: string,
  { profilePath, addresses }: { readonly profilePath: string; readonly addresses: readonly string[] },
): Promise<void> {
  const objects = await nm.managedObjects();
  const device = objects[devicePath]?.[deviceInterface] ?? {};
  const settings = await nm.profileSettings(profilePath);
  const filename = String(toPlain(objects[profilePath]?.[profileInterface]?.Filename) ?? '');
  const variant = (...value: SettingValue) => encodeVariant(value);
  const ofDevice = {
    interface: device.Interface,
    'ip-interface': device.Interface,
    type: device.DeviceType,
    state: variant('u', deviceState.activated),
    path: variant('o', devicePath),
  };
  await bus.call({
    destination: daemonName,
    path: '/org/freedesktop/DBus',
    interface: daemonName,
    member: 'StartServiceByName',
    signature: 'su',
    body: [dispatcher, 0],
    timeoutMs: startMs,
  });
  const body = [
    'up',
    encodeSettings(settings),
    { path: variant('o', profilePath), ...(filename === '' ? {} : { filename: variant('s', filename) }) },
    ofDevice,
    {},
    ownFirst(addressing(objects, device.Ip4Config, 'org.freedesktop.NetworkManager.IP4Config'), addresses),
    addressing(objects, device.Ip6Config, 'org.freedesktop.NetworkManager.IP6Config'),
    lease(objects, device.Dhcp4Config, dhcp4Interface),
    lease(objects, device.Dhcp6Config, dhcp6Interface),
    'unknown',
    '',
    {},
    {},
    {},
    false,
  ];
  const signature = 'sa{sa{sv}}a{sv}a{sv}a{sv}a{sv}a{sv}a{sv}a{sv}ssa{sv}a{sv}a{sv}b';
  await bus.call({
    destination: dispatcher,
    path: '/org/freedesktop/nm_dispatcher',
    interface: dispatcher,
    member: 'Action',
    signature,
    body,
    timeoutMs: scriptsMs,
  });
}

/**
 * Returns the addresses, name servers, domains and routes of a device in the form that the dispatcher accepts:
 * properties of NetworkManager under other names.
 */
function addressing(
  objects: Readonly<Record<string, ManagedObject>>,
  path: unknown,
  interfaceName: string,
): Readonly<Record<string, unknown>> {
  const config = objects[String(toPlain(path))]?.[interfaceName] ?? {};
  const named = {
    addresses: config.Addresses,
    nameservers: config.Nameservers,
    domains: config.Domains,
    routes: config.Routes,
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

/**
 * Moves the device's own addresses to the front of its list of IPv4 addresses. NetworkManager lists addresses of other
 * programs among them, and scripts use the first one. An entry is [address, prefix, gateway], with the address in
 * network byte order.
 */
function ownFirst(
  config: Readonly<Record<string, unknown>>,
  own: readonly string[],
): Readonly<Record<string, unknown>> {
  const listed = toPlain(config.addresses);
  if (!Array.isArray(listed)) return config;
  const isOwn = (entry: Json): boolean => {
    const [address = 0, prefix = 0] = entry as readonly number[];
    const octets = [0, 8, 16, 24].map((shift) => (address >>> shift) & 0xff);
    return own.includes(`${octets.join('.')}/${prefix}`);
  };
  const ordered = [...listed.filter(isOwn), ...listed.filter((entry: Json) => !isOwn(entry))];
  // The first entry of the list of addresses gets the gateway of the device, because scripts expect the gateway there.
  const gateway = listed.map((entry: Json) => (entry as readonly number[])[2] ?? 0).find((hop) => hop !== 0) ?? 0;
  const entries = (ordered as readonly (readonly number[])[]).map(([address = 0, prefix = 0], index) => [
    address,
    prefix,
    index === 0 ? gateway : 0,
  ]);
  return { ...config, addresses: encodeVariant(['aau', entries]) };
}

/** Returns the options of a device's DHCP lease; an empty object if the device has no lease. */
function lease(
  objects: Readonly<Record<string, ManagedObject>>,
  path: unknown,
  interfaceName: string,
): Readonly<Record<string, unknown>> {
  const options = objects[String(toPlain(path))]?.[interfaceName]?.Options as { readonly value?: object } | undefined;
  return { ...options?.value };
}
