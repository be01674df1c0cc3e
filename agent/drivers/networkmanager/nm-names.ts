/** D-Bus names of NetworkManager's API (networkmanager.dev/docs/api/latest/spec.html). */
export const service = 'org.freedesktop.NetworkManager';
export const rootPath = '/org/freedesktop/NetworkManager';
export const settingsPath = '/org/freedesktop/NetworkManager/Settings';
export const rootInterface = 'org.freedesktop.NetworkManager';
export const settingsInterface = 'org.freedesktop.NetworkManager.Settings';
export const profileInterface = 'org.freedesktop.NetworkManager.Settings.Connection';
export const activeInterface = 'org.freedesktop.NetworkManager.Connection.Active';
export const wiredInterface = 'org.freedesktop.NetworkManager.Device.Wired';
export const dhcp4Interface = 'org.freedesktop.NetworkManager.DHCP4Config';
export const dhcp6Interface = 'org.freedesktop.NetworkManager.DHCP6Config';
export const deviceInterface = 'org.freedesktop.NetworkManager.Device';
export const propertiesInterface = 'org.freedesktop.DBus.Properties';
export const checkpointInterface = 'org.freedesktop.NetworkManager.Checkpoint';

/**
 * Returns a function that builds calls to one object and interface from the name of the method, the signature of its
 * arguments, and the arguments.
 */
export function callsTo(path: string, interfaceName: string) {
  return (member: string, signature = '', ...body: unknown[]) => ({
    path,
    interface: interfaceName,
    member,
    signature,
    body,
  });
}

/** Builds a call to NetworkManager's root object. */
export const rootCall = callsTo(rootPath, rootInterface);

/** Values of NMDeviceState that the agent uses. */
export const deviceState = { disconnected: 30, prepare: 40, ipConfig: 70, activated: 100, failed: 120 } as const;

/** Values of NMDeviceType that the agent uses. */
export const deviceType = { ovsInterface: 24, ovsPort: 25, ovsBridge: 26 } as const;

/** Values of NMActiveConnectionState that the agent uses. */
export const activeState = { activated: 2, deactivated: 4 } as const;

/** Texts for NMActiveConnectionStateReason; the index is the value. */
const activeStateReasons = [
  'unknown',
  'none',
  'disconnected by the user',
  'the device was disconnected',
  'the service was stopped',
  'the IP configuration was invalid',
  'the activation took too long',
  'the service took too long to start',
  'the service could not be started',
  'secrets are missing',
  'authentication failed',
  'the profile was deleted',
  'the controller or parent connection failed',
  'the device could not be created',
  'the device was removed',
];

/** Texts for the values of NMDeviceStateReason that can occur on the agent's devices. */
const deviceStateReasons: Readonly<Record<number, string>> = {
  4: 'the device could not be readied for configuration',
  5: 'the IP configuration could not be had (no address, timeout or conflict)',
  6: 'the IP configuration expired',
  7: 'secrets were required but not provided',
  8: '802.1X: the supplicant disconnected',
  9: '802.1X: the supplicant configuration failed',
  10: '802.1X: the supplicant failed',
  11: '802.1X: the supplicant took too long',
  15: 'the DHCP client failed to start',
  16: 'the DHCP client reported an error',
  17: 'the DHCP client failed',
  35: 'the firmware of the device is missing',
  36: 'the device was removed',
  37: 'NetworkManager was put to sleep',
  38: 'the profile was deleted',
  39: 'disconnected by the user',
  40: 'the link is down (no carrier)',
  50: 'a connection it depends on failed',
  56: 'teamd could not be controlled',
  60: 'a new activation took its place',
  61: 'the parent changed',
  63: 'Open vSwitch refused it: look at journalctl -u NetworkManager -u ovs-vswitchd',
  64: 'the address is already used by another host on the network',
  66: 'the SR-IOV configuration failed',
  68: 'the device handler failed',
  76: 'a NetworkManager setting makes the device unmanaged',
};

/** Returns the text for an NMActiveConnectionStateReason. */
export function activeStateReason(reason: number): string {
  return activeStateReasons[reason] ?? `reason ${reason}`;
}

/** Returns the text for an NMDeviceStateReason. */
export function deviceStateReason(reason: number): string {
  return deviceStateReasons[reason] ?? `reason ${reason}`;
}

/** Values of NMSettingsAddConnection2Flags that the agent uses. */
export const addFlags = { inMemory: 0x2, blockAutoconnect: 0x20 } as const;

/** Values of NMSettingsUpdate2Flags that the agent uses. */
export const updateFlags = { inMemoryOnly: 0x8, blockAutoconnect: 0x20, noReapply: 0x40 } as const;

/**
 * Values of NMCheckpointCreateFlags that the agent uses. On a rollback, 0x2 deletes profiles that were added since, and
 * 0x4 disconnects devices that were added since.
 */
export const checkpointFlags = { deleteNewConnections: 0x2, disconnectNewDevices: 0x4 } as const;
