import type { AddedBridge } from './added-bridge.ts';
import type { BridgeNames } from './bridge-names.ts';
import type { NmProfile, OvsBridge } from './observation.ts';

/**
 * For each of the three profiles of a bridge, the prefix of its id, and the hex digit by which its UUID differs from
 * those of the other two. The upper two bits of the digit are the variant (RFC 9562 section 4.1).
 */
const kinds = [
  { prefix: '', digit: '8' },
  { prefix: 'ovs-port-', digit: '9' },
  { prefix: 'ovs-if-', digit: 'a' },
] as const;

/**
 * Length in bytes of the longest interface name. The UUID of a profile contains the name of its bridge: a UUID has room
 * for 15 bytes besides its version and variant.
 */
const nameBytes = 15;

/** Route metric that NetworkManager gives the interface of an Open vSwitch bridge by default. */
export const leastPreferredMetric = 800;

/** Names that Open vSwitch, OVN, MicroShift and the agent's own profiles use for other purposes. */
const reservedNames = /^(br-ex1?|br-int|br-local|ovs-.*|phys\d+)$/;

/**
 * Returns the reason why `bridge add` refuses a bridge name, as the second half of a sentence; null if the name is
 * accepted.
 */
export function addedNameFault(name: string): string | null {
  if (name.length > nameBytes) return `it has ${name.length} characters and the kernel allows ${nameBytes}`;
  if (!/^[A-Za-z0-9][\w.-]*$/.test(name) || /^\d+$/.test(name))
    return 'a name has letters, digits, ".", "_" and "-", not only digits, and begins with a letter or a digit';
  return reservedNames.test(name) ? 'this name is reserved' : null;
}

/** Returns the name of a bridge of `bridge add`, the ids of its profiles, and its route metric. */
export function addedNames(bridge: string, routeMetric = leastPreferredMetric): BridgeNames {
  return {
    bridge,
    bridgePort: `ovs-port-${bridge}`,
    bridgeInterface: `ovs-if-${bridge}`,
    formerUplinkPort: null,
    formerUplinkInterface: null,
    routeMetric,
    isAdded: true,
  };
}

/**
 * Returns the UUID of a profile of `bridge add` from the profile's id. The UUID contains the name of the bridge (RFC
 * 9562 version 8). It is therefore the same in every boot, as DHCP and IPv6 identities require, and the agent
 * recognizes its profiles without a list. Returns null if the name of the bridge is empty or longer than 15 bytes.
 */
export function addedUuid(id: string): string | null {
  const kind = kinds.findLast(({ prefix }) => id.startsWith(prefix)) ?? kinds[0];
  const name = Buffer.from(id.slice(kind.prefix.length));
  if (name.length === 0 || name.length > nameBytes) return null;
  const digits = name.toString('hex').padEnd(nameBytes * 2, '0');
  const [first, second] = [digits.slice(0, 12), digits.slice(12, 15)];
  const rest = digits.slice(15);
  return `${first.slice(0, 8)}-${first.slice(8)}-8${second}-${kind.digit}${rest.slice(0, 3)}-${rest.slice(3)}`;
}

/** Returns the bridge of `bridge add` to which a profile belongs; null if it belongs to none. */
export function addedBridgeOfProfile({ id, uuid }: Pick<NmProfile, 'id' | 'uuid'>): string | null {
  // The version digit of the UUID is checked first, because that is fast, and a node may have a thousand profiles of
  // the administrator.
  if (uuid[14] !== '8' || uuid !== addedUuid(id)) return null;
  const kind = kinds.findLast(({ prefix }) => id.startsWith(prefix)) ?? kinds[0];
  return id.slice(kind.prefix.length);
}

/**
 * Returns true if a row of the table Bridge belongs to a profile of `bridge add`, even if the profile no longer exists.
 * `owner` is the UUID of a profile that the row contains; undefined if it contains none.
 */
export function isAddedRow({ name }: Pick<OvsBridge, 'name'>, owner: string | undefined): boolean {
  return owner !== undefined && owner === addedUuid(name);
}

/** Returns the list of `bridge add` with this bridge added or replaced, sorted by name. */
export function withAdded(list: readonly AddedBridge[], entry: AddedBridge): readonly AddedBridge[] {
  return [...list.filter(({ bridge }) => bridge !== entry.bridge), entry].toSorted((one, other) =>
    one.bridge < other.bridge ? -1 : 1,
  );
}
