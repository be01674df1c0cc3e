import type { AddedBridge } from '../model/added-bridge.ts';
import type { NmProfile, OvsBridge } from '../model/observation.ts';
import type { BridgeNames } from './bridge-names.ts';

/** Digit of the UUID that tells the profiles of one bridge apart; the variant of RFC 9562 is in its upper bits. */
const kinds = [
  { prefix: '', digit: '8' },
  { prefix: 'ovs-port-', digit: '9' },
  { prefix: 'ovs-if-', digit: 'a' },
] as const;

/** The longest name the kernel gives an interface, and the bytes that a UUID has room for beside its version and variant. */
const nameBytes = 15;

/** What NetworkManager gives the interface of a bridge by itself. */
export const leastPreferredMetric = 800;

/** Names that Open vSwitch, OVN, MicroShift and our own profiles have for something else. */
const reservedNames = /^(br-ex1?|br-int|br-local|ovs-.*|phys\d+)$/;

/** Why `bridge add` makes no bridge of this name, as the second half of a sentence; null: it could. */
export function addedNameFault(name: string): string | null {
  if (name.length > nameBytes) return `it has ${name.length} characters and the kernel allows ${nameBytes}`;
  if (!/^[A-Za-z0-9][\w.-]*$/.test(name) || /^\d+$/.test(name))
    return 'a name has letters, digits, ".", "_" and "-", not only digits, and begins with a letter or a digit';
  return reservedNames.test(name) ? 'this name belongs to something else' : null;
}

/** The names of a bridge that `bridge add` makes. */
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
 * UUID of the profile with this id of a bridge that `bridge add` makes: the name itself (RFC 9562 version 8), so the same in every boot, as DHCP
 * and IPv6 identities want it, and known for ours without a list. null: the kernel could give no interface such a name.
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

/** The bridge of `bridge add` that a profile is of; null: it is of none. */
export function addedBridgeOfProfile({ id, uuid }: Pick<NmProfile, 'id' | 'uuid'>): string | null {
  // Looked at first, for a node may have a thousand profiles of the admin's.
  if (uuid[14] !== '8' || uuid !== addedUuid(id)) return null;
  const kind = kinds.findLast(({ prefix }) => id.startsWith(prefix)) ?? kinds[0];
  return id.slice(kind.prefix.length);
}

/** True for a row that belongs to a profile of `bridge add`, also when that is gone. */
export function isAddedRow({ name }: Pick<OvsBridge, 'name'>, owner: string | undefined): boolean {
  return owner !== undefined && owner === addedUuid(name);
}

/** The same list with this bridge in it, by name. */
export function withAdded(list: readonly AddedBridge[], entry: AddedBridge): readonly AddedBridge[] {
  return [...list.filter(({ bridge }) => bridge !== entry.bridge), entry].toSorted((one, other) =>
    one.bridge < other.bridge ? -1 : 1,
  );
}
