import type { AgentError } from '../../errors.ts';
import type { ProfileSettings } from '../../model/profile-settings.ts';
import { type Bus, daemonCall, daemonName, type MethodCall, type Signal } from '../dbus/bus-connection.ts';
import { encodeVariant, toPlain } from '../dbus/codec.ts';
import { fromReply, isUnknownProfile, notRunning, unknownForm, vanished } from './nm-errors.ts';
import {
  addFlags,
  callsTo,
  deviceInterface,
  profileInterface,
  propertiesInterface,
  rootCall,
  rootInterface,
  rootPath,
  service,
  settingsInterface,
  settingsPath,
  updateFlags,
} from './nm-names.ts';
import { decodeSettings, encodeSettings } from './nm-settings.ts';
import { appliedSettings, clearIpSettings, reapply } from './reapply.ts';
import { isManagedObjects, type ManagedObject } from './shapes.ts';

/**
 * NetworkManager's API over one bus connection. Every call settles, either with its answer or with an AgentError
 * (`networkmanager-not-running`, `networkmanager-refused`, `not-root`, `ovs-plugin-missing`, `dbus-lost`,
 * `dbus-timeout`). `profileSettings` and `appliedSettings` reject with a TypeError if the settings do not have the
 * expected form.
 */
export interface NetworkManager {
  /** Returns every object and property in one round trip (org.freedesktop.DBus.ObjectManager). */
  managedObjects(): Promise<Readonly<Record<string, ManagedObject>>>;
  profileSettings(profilePath: string): Promise<ProfileSettings>;
  /** Returns the settings with which an activated device runs (GetAppliedConnection). */
  appliedSettings(devicePath: string): Promise<ProfileSettings>;
  /** Returns the paths of all profiles. */
  profilePaths(): Promise<readonly string[]>;
  /** Adds a profile in memory (/run, until the next reboot) without activating it; returns its path. */
  addProfile(settings: ProfileSettings): Promise<string>;
  /** Replaces a profile in memory without changing the active configuration. */
  updateProfile(profilePath: string, settings: ProfileSettings): Promise<void>;
  /**
   * Keeps NetworkManager from activating a profile automatically until the profile has been activated on request. The
   * settings of the profile do not change.
   */
  blockAutoconnect(profilePath: string): Promise<void>;
  deleteProfile(profilePath: string): Promise<void>;
  profilePathOf(uuid: string): Promise<string>;
  /** Returns the path of the profile with this UUID; null if it does not exist. */
  findProfile(uuid: string): Promise<string | null>;
  /**
   * Starts an activation and returns its active connection. The device path `/` lets NetworkManager choose the device.
   */
  activate(profilePath: string, devicePath: string): Promise<string>;
  /**
   * Changes the configuration of an activated device in place. Without settings (null), applies the settings of the
   * device's profile. Settings that cannot be changed in place do not change.
   */
  reapply(devicePath: string, settings: ProfileSettings | null, uuid: string): Promise<void>;
  /** Removes the IP settings of an activated device in place; its link settings stay. */
  clearIpSettings(devicePath: string): Promise<void>;
  /**
   * Makes NetworkManager manage a device with its current configuration; if `managed` is false, makes the device
   * unmanaged until the next boot.
   */
  manage(devicePath: string, managed: boolean): Promise<void>;
  /** Removes a software device. */
  deleteDevice(devicePath: string): Promise<void>;
  /** Reloads NetworkManager.conf and its conf.d; profiles and links do not change. */
  reloadConfiguration(): Promise<void>;
  property(path: string, interfaceName: string, name: string): Promise<unknown>;
  /** Resolves when NetworkManager has processed all events that it received before the call. */
  caughtUp(): Promise<void>;
  /** Sends a D-Bus call for which this object has no function of its own, such as a call about checkpoints. */
  request(what: string, call: Omit<MethodCall, 'destination'>): Promise<unknown[]>;
  /**
   * Calls the listener for every signal of NetworkManager, until the returned function is called. With `member`, calls
   * it only for signals of this name.
   */
  onSignal(listener: (signal: Signal) => void, member?: string): () => void;
  /** Calls the listener when NetworkManager leaves the bus, and when the bus connection is lost. */
  onVanished(listener: (error: AgentError) => void): () => void;
}

/** Finds NetworkManager on the bus. Rejects with `networkmanager-not-running`; never starts NetworkManager. */
export async function openNetworkManager(bus: Bus): Promise<NetworkManager> {
  const owner = await bus
    .call(daemonCall('GetNameOwner', service))
    .then(([name]) => String(name))
    .catch((error: unknown) => {
      throw fromOwnerLookup(error);
    });

  const request: NetworkManager['request'] = (what, call) =>
    bus.call({ ...call, destination: owner }).catch((error: unknown) => {
      throw fromReply(what, error);
    });
  const profileCalls = (path: string) => callsTo(path, profileInterface);
  const settingsCall = callsTo(settingsPath, settingsInterface);

  const profileSettings: NetworkManager['profileSettings'] = async (path) =>
    decodeSettings((await request('read a profile', profileCalls(path)('GetSettings')))[0]);
  const profilePathOf: NetworkManager['profilePathOf'] = async (uuid) =>
    String((await request(`find the profile ${uuid}`, settingsCall('GetConnectionByUuid', 's', uuid)))[0]);

  const property: NetworkManager['property'] = async (path, interfaceName, name) => {
    const call = callsTo(path, propertiesInterface)('Get', 'ss', interfaceName, name);
    return toPlain((await request(`read ${name}`, call))[0]);
  };

  return {
    request,
    property,
    profileSettings,
    profilePathOf,
    findProfile: (uuid) =>
      profilePathOf(uuid).catch((error: unknown) => {
        if (isUnknownProfile(error)) return null;
        throw error;
      }),
    managedObjects: async () => {
      const call = callsTo('/org/freedesktop', 'org.freedesktop.DBus.ObjectManager')('GetManagedObjects');
      const [objects] = await request('list its objects', call);
      if (!isManagedObjects(objects)) throw unknownForm('its objects');
      return objects;
    },
    appliedSettings: (devicePath) => appliedSettings(request, devicePath),
    profilePaths: async () => (await request('list the profiles', settingsCall('ListConnections')))[0] as string[],
    addProfile: async (settings) => {
      const flags = addFlags.inMemory | addFlags.blockAutoconnect;
      const call = settingsCall('AddConnection2', 'a{sa{sv}}ua{sv}', encodeSettings(settings), flags, {});
      return String((await request(`add the profile ${nameOf(settings)}`, call))[0]);
    },
    updateProfile: async (path, settings) => {
      const flags = updateFlags.inMemoryOnly | updateFlags.blockAutoconnect | updateFlags.noReapply;
      const call = profileCalls(path)('Update2', 'a{sa{sv}}ua{sv}', encodeSettings(settings), flags, {});
      await request(`update the profile ${nameOf(settings)}`, call);
    },
    blockAutoconnect: async (path) => {
      const flags = updateFlags.blockAutoconnect | updateFlags.noReapply;
      await request('block a profile', profileCalls(path)('Update2', 'a{sa{sv}}ua{sv}', {}, flags, {}));
    },
    deleteProfile: async (path) => {
      await request('delete a profile', profileCalls(path)('Delete'));
    },
    activate: async (profilePath, devicePath) => {
      const call = rootCall('ActivateConnection', 'ooo', profilePath, devicePath, '/');
      return String((await request('activate a profile', call))[0]);
    },
    reapply: (devicePath, settings, uuid) =>
      reapply(request, devicePath, settings, async () => profileSettings(await profilePathOf(uuid))),
    clearIpSettings: (devicePath) => clearIpSettings(request, devicePath),
    manage: async (path, managed) => {
      const value = encodeVariant(['b', managed]);
      const call = callsTo(path, propertiesInterface)('Set', 'ssv', deviceInterface, 'Managed', value);
      await request(managed ? 'manage a device' : 'leave a device alone', call);
    },
    deleteDevice: async (path) => {
      await request('delete a device', callsTo(path, deviceInterface)('Delete'));
    },
    reloadConfiguration: async () => {
      await request('read its configuration again', rootCall('Reload', 'u', reloadConf));
    },
    caughtUp: async () => {
      await property(rootPath, rootInterface, 'State');
    },
    onSignal: (listener, member) =>
      bus.subscribe(
        `type='signal',sender='${service}'${member === undefined ? '' : `,member='${member}'`}`,
        owner,
        (signal) => {
          if (member === undefined || signal.member === member) listener(signal);
        },
      ),
    onVanished: (listener) => {
      const endOwnerWatch = bus.subscribe(ownerRule, daemonName, (signal) => {
        if (signal.member === 'NameOwnerChanged' && signal.body[0] === service && signal.body[1] === owner)
          listener(vanished());
      });
      const endLostWatch = bus.onLost(listener);
      return () => {
        endOwnerWatch();
        endLostWatch();
      };
    },
  };
}

/** Flag of NMManagerReloadFlags that reloads the configuration only, and neither DNS nor the DNS plugin. */
const reloadConf = 0x1;

const ownerRule = `type='signal',sender='${daemonName}',member='NameOwnerChanged',arg0='${service}'`;

function fromOwnerLookup(error: unknown): Error {
  const mapped = fromReply('answer', error);
  return mapped.kind === 'networkmanager-not-running' ? notRunning() : mapped;
}

function nameOf(settings: ProfileSettings): string {
  return String(settings.connection?.id?.[1] ?? settings.connection?.uuid?.[1] ?? '');
}
