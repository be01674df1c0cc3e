import type { AddedBridge } from '../model/added-bridge.ts';
import { addedNameFault } from '../model/added-names.ts';
import {
  type HintedNic,
  type HintFiles,
  type IdentityKey,
  type IdentityValues,
  identityKeys,
  type NicIdentity,
} from '../model/hint-files.ts';
import { nodeIpPath } from '../plan/uplink/remembered.ts';

/** Files in which an administrator, another program or an earlier run of the agent names a NIC. */
export const hintFiles = {
  interfaceHint: { path: '/var/lib/ovnk/iface_default_hint', is: 'interface' },
  extraBridge: { path: '/etc/ovnk/extra_bridge', is: 'interface' },
  defaultBridge: { path: '/etc/ovnk/default_bridge', is: 'interface' },
  nodeIp: { path: nodeIpPath, is: 'address' },
} as const;

/**
 * File in which a run records the NIC of br-ex with its name and its permanent MAC. The file also has the identities of
 * the NICs in the agent's bridges.
 */
export const hintedNicPath = '/var/lib/microshift-net/uplink.json';

/** File in which `bridge add` records its bridges. */
export const addedBridgesPath = '/var/lib/microshift-net/bridges.json';

/**
 * Returns the value of a hint file: its first line that is not blank, without surrounding white space and quotes; null
 * if the value is empty.
 */
export function hintIn(fileText: string): string | null {
  const line = fileText.trimStart().split('\n')[0]?.trim() ?? '';
  const text = (/^(["'])(.*)\1$/.exec(line)?.[2] ?? line).trim();
  return text === '' ? null : text;
}

/** Reads the hint files. `fileText` returns null for a missing file. */
export function readHints(fileText: (path: string) => string | null): HintFiles {
  const hint = (name: keyof typeof hintFiles): string | null => hintIn(fileText(hintFiles[name].path) ?? '');
  const added = parseAddedBridges(fileText(addedBridgesPath));
  const record = fileText(hintedNicPath);
  const identities = parseIdentities(record);
  return {
    ...(added.length === 0 ? {} : { addedBridges: added }),
    interfaceHint: hint('interfaceHint'),
    hintedNic: parseHintedNic(record),
    ...(identities.length === 0 ? {} : { identities }),
    extraBridge: hint('extraBridge'),
    defaultBridge: hint('defaultBridge'),
    nodeIp: hint('nodeIp'),
  };
}

/**
 * Parses the list of `bridge add`. A damaged list counts as empty, because a NIC without a bridge is still reachable.
 */
export function parseAddedBridges(text: string | null): readonly AddedBridge[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(list) ? list.filter(isAddedBridge).filter(isFirst) : [];
  } catch {
    return [];
  }
}

/**
 * Returns true if no earlier entry of the list has the same NIC or bridge. Later entries are invalid, because a NIC
 * belongs to only one bridge, and a bridge has only one NIC.
 */
function isFirst(entry: AddedBridge, index: number, list: readonly AddedBridge[]): boolean {
  return index === list.findIndex(({ bridge, interface: name }) => bridge === entry.bridge || name === entry.interface);
}

function isAddedBridge(value: unknown): value is AddedBridge {
  if (typeof value !== 'object' || value === null) return false;
  const { bridge, interface: name, routeMetric } = value as Record<string, unknown>;
  return (
    typeof bridge === 'string' &&
    addedNameFault(bridge) === null &&
    typeof name === 'string' &&
    Number.isInteger(routeMetric)
  );
}

/**
 * Parses the name and the permanent MAC that a run has recorded for the NIC of br-ex. A damaged text counts as missing.
 * The NIC is then not recognized if its name has changed.
 */
function parseHintedNic(text: string | null): HintedNic | null {
  try {
    const { interface: name, permanentMac } = JSON.parse(text ?? '{}') as Record<string, unknown>;
    return typeof name === 'string' && typeof permanentMac === 'string' ? { interface: name, permanentMac } : null;
  } catch {
    return null;
  }
}

/**
 * Functions that check the values of a NIC's identity, by setting. NetworkManager refuses a profile with an invalid
 * value, and the node would then have no bridge.
 */
const isIdentityValue: Readonly<Record<IdentityKey, (value: string) => boolean>> = {
  'ipv4.dhcp-client-id': isBytes,
  'ipv6.dhcp-duid': isBytes,
  'ipv6.dhcp-iaid': (value) => /^\d{1,10}$/.test(value) && Number(value) < 2 ** 32,
  'ipv6.token': (value) => /^::[0-9a-f]{1,4}(:[0-9a-f]{1,4}){0,3}$/i.test(value),
};

function isBytes(value: string): boolean {
  return /^[0-9a-f]{2}(:[0-9a-f]{2})+$/i.test(value);
}

/**
 * Parses the identities of NICs. A damaged entry counts as missing: NetworkManager then derives the identity from the
 * bridge.
 */
function parseIdentities(text: string | null): readonly NicIdentity[] {
  try {
    const { identities } = JSON.parse(text ?? '{}') as Record<string, unknown>;
    return Array.isArray(identities) ? identities.flatMap(readIdentity) : [];
  } catch {
    return [];
  }
}

function readIdentity(entry: unknown): readonly NicIdentity[] {
  if (typeof entry !== 'object' || entry === null) return [];
  const { interface: name, profile, values, settings } = entry as Record<string, unknown>;
  if (typeof name !== 'string' || typeof profile !== 'string' || !isRecord(values) || !isRecord(settings)) return [];
  const valid = readValues(values, (key, value) => isIdentityValue[key](value));
  return [{ interface: name, profile, values: valid, settings: readValues(settings, () => true) }];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function readValues(
  values: Readonly<Record<string, unknown>>,
  isValid: (key: IdentityKey, value: string) => boolean,
): IdentityValues {
  const found = identityKeys.flatMap((key) => {
    const value = values[key];
    return typeof value === 'string' && isValid(key, value) ? [[key, value] as const] : [];
  });
  return Object.fromEntries(found);
}
