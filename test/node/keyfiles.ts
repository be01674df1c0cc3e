// Profiles of NetworkManager as keyfiles, made from the settings that differ from a plain profile.

/** A keyfile: sections of `key=value` lines. */
export type Keyfile = Record<string, Record<string, string | number | boolean>>;

/** UUID of the controller's profile in every case. */
export const bondUuid = '0000b000-0000-4000-8000-00000000b000';
const portUuid = (port: number): string => `0000b01${port}-0000-4000-8000-00000000b01${port}`;
/** IP settings of a profile without addresses. */
export const off = { method: 'disabled' };
/** IP settings of a profile with a leased address. */
export const dhcp = { ipv4: { method: 'auto' }, ipv6: off };
/** IP settings of a profile with a fixed address. */
export const fixed = { ipv4: { method: 'manual', address1: '192.0.2.50/24,192.0.2.1' }, ipv6: off };

type Family = 'bond' | 'team' | 'bridge';

/** Returns the profile of a bond, team or bridge. */
export function controller(type: Family, name: string, settings: Keyfile): Keyfile {
  return {
    ...settings,
    connection: { id: name, uuid: bondUuid, type, 'interface-name': name, ...settings.connection },
  };
}

/** Returns the profile of a port, which names its controller by interface or by UUID. */
export function port(index: number, type: Family, of: string, more: Keyfile = {}): Keyfile {
  const connection = {
    id: `port${index}`,
    uuid: portUuid(index),
    type: 'ethernet',
    'interface-name': `eth${index}`,
    // The profiles use both spellings of the keys, as profiles of different versions do.
    ...(index === 0 ? { master: of, 'slave-type': type } : { controller: of, 'port-type': type }),
  };
  return { ...more, connection: { ...connection, ...more.connection } };
}

/** Returns the profiles of a bond of eth0 and eth1. */
export function bond(
  options: Record<string, string>,
  address: Keyfile,
  of: string = bondUuid,
): Record<string, Keyfile> {
  return {
    bond0: controller('bond', 'bond0', { bond: { miimon: '100', ...options }, ...address }),
    port0: port(0, 'bond', of),
    port1: port(1, 'bond', of),
  };
}

/** Returns the profile of a NIC. */
export function ethernet(settings: Keyfile, name = 'eth0'): Keyfile {
  const connection = {
    id: name,
    uuid: '00000000-0000-4000-8000-000000000000',
    type: 'ethernet',
    'interface-name': name,
  };
  return { ...settings, connection: { ...connection, ...settings.connection } };
}

/** Returns the text of a keyfile. */
export function keyfileText(keyfile: Keyfile): string {
  return Object.entries(keyfile)
    .map(
      ([section, values]) =>
        `[${section}]\n${Object.entries(values)
          .map(([key, value]) => `${key}=${value}\n`)
          .join('')}`,
    )
    .join('\n');
}
