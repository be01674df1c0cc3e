/*
 * Properties and values of NetworkManager profiles in the spelling of nmcli (nm-settings-nmcli(5)), in which an
 * administrator enters them. D-Bus has other names and types for some of them (nm-settings-dbus(5)).
 */

/**
 * Names in nmcli, by name on D-Bus, of the properties whose two names differ. They apply to every setting with such a
 * property.
 */
const nmcliNames: Readonly<Record<string, string>> = {
  'address-data': 'addresses',
  'route-data': 'routes',
  'dns-data': 'dns',
  'assigned-mac-address': 'cloned-mac-address',
};

/** Words of nmcli for numbers, by property. */
const enumerations: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'ipv6.addr-gen-mode': { '0': 'eui64', '1': 'stable-privacy', '2': 'default-or-eui64', '3': 'default' },
  'ipv4.dhcp-timeout': { '2147483647': 'infinity' },
  'ipv6.dhcp-timeout': { '2147483647': 'infinity' },
  'connection.mdns': { '-1': 'default', '0': 'no', '1': 'resolve', '2': 'yes' },
  'connection.llmnr': { '-1': 'default', '0': 'no', '1': 'resolve', '2': 'yes' },
  'connection.metered': { '0': 'unknown', '1': 'yes', '2': 'no' },
};

/** Returns nmcli's name of a property: `ipv4.dns` for `ipv4`, `dns-data`. */
export function nmcliProperty(setting: string, key: string): string {
  return `${setting}.${nmcliNames[key] ?? key}`;
}

/**
 * Returns a value in nmcli's notation. `text` is the value of a difference: a string unchanged, or any other D-Bus
 * value as JSON. A value in an unknown form is returned unchanged.
 */
export function nmcliValue(setting: string, key: string, text: string): string {
  const word = enumerations[`${setting}.${key}`]?.[text];
  if (word !== undefined) return word;
  if (text === 'true' || text === 'false') return text === 'true' ? 'yes' : 'no';
  if (!/^[[{]/.test(text)) return text;
  const value = jsonIn(text);
  if (value === undefined) return text;
  if (Array.isArray(value)) return value.length === 0 ? '(empty)' : value.map((item) => itemText(key, item)).join(', ');
  return entriesText(withoutSignatures(value as Fields));
}

type Fields = Readonly<Record<string, unknown>>;

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function itemText(key: string, item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item);
  const fields = withoutSignatures(item);
  if (key === 'address-data') return addressText(fields);
  if (key === 'route-data') return routeText(fields);
  if (key === 'routing-rules') return ruleText(fields);
  return entriesText(fields);
}

/** Returns an `a{sv}` without the D-Bus signatures of its values. */
function withoutSignatures(item: object): Fields {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]: [string, unknown]) => [name, Array.isArray(value) ? value[1] : value]),
  );
}

function addressText({ address, prefix, ...rest }: Fields): string {
  return [`${address}/${prefix}`, attributesText(rest)].filter((part) => part !== '').join(' ');
}

/** Returns a route in the notation of nmcli: `destination/prefix [next hop] [metric] [attribute=value …]`. */
function routeText({ dest, prefix, 'next-hop': nextHop, metric, ...attributes }: Fields): string {
  const parts = [`${dest}/${prefix}`, nextHop, metric].filter((part) => part !== undefined).map(String);
  return [...parts, attributesText(attributes)].filter((part) => part !== '').join(' ');
}

/** Returns a routing rule in the notation of nmcli: `priority 100 iif eth0 table 200`. */
function ruleText(fields: Fields): string {
  const { priority, from, to, iifname, oifname, table, invert, family: _, ...rest } = fields;
  const { 'from-len': fromLength, 'to-len': toLength, ...more } = rest;
  const words: readonly (readonly [string, unknown])[] = [
    ['priority', priority],
    ['from', from === undefined ? undefined : `${from}/${fromLength}`],
    ['to', to === undefined ? undefined : `${to}/${toLength}`],
    ['iif', iifname],
    ['oif', oifname],
    ...Object.entries(more),
    ['table', table],
  ];
  const given = words.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
  return [...(invert === true ? ['not'] : []), ...given].join(' ');
}

function attributesText(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

function entriesText(fields: Fields): string {
  const entries = Object.entries(fields);
  return entries.length === 0 ? '(empty)' : entries.map(([name, value]) => `${name}=${value}`).join(',');
}
