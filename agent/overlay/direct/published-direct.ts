import { type DirectNode, isNodeName } from '../../model/direct-node.ts';
import { familyOf } from '../../net/address.ts';
import { parseRange } from '../../net/address-range.ts';
import { isIpv6, withoutLength } from '../addresses.ts';
import { directKey } from '../members/announced-direct.ts';
import { besideNode } from './direct-nodes.ts';

/**
 * Largest number of entries in a published list, which has a node once for each of its address families; a longer list
 * counts as malformed. A cluster has about twenty nodes, each with up to two address families.
 */
const mostNodes = 128;

/** Returns the entry of SB_Global.external_ids that publishes the nodes with direct routes; no entry without nodes. */
export function publishedDirect(nodes: readonly DirectNode[]): Readonly<Record<string, string>> {
  return nodes.length === 0 ? {} : { [directKey]: JSON.stringify(nodes) };
}

/**
 * Returns the published nodes that are on the same LAN as the node `own`. An address family is left out if `own` is not
 * published in it, or is published with another address, MAC or subnet: the flows of the other nodes are made for the
 * published values. A malformed text counts as an empty list, so that no packet is let in because of it.
 */
export function publishedBeside(
  own: readonly DirectNode[],
  ids: Readonly<Record<string, string>>,
): readonly DirectNode[] {
  const nodes = nodesIn(ids[directKey]);
  const isSame = (one: DirectNode, other: DirectNode): boolean =>
    one.name === other.name && one.address === other.address && one.mac === other.mac && one.subnet === other.subnet;
  const published = own.filter((one) => nodes.some((other) => isSame(one, other)));
  return besideNode(published, nodes);
}

function nodesIn(text = '[]'): readonly DirectNode[] {
  try {
    const found: unknown = JSON.parse(text);
    return Array.isArray(found) && found.length <= mostNodes && found.every(isNode) ? found : [];
  } catch {
    return [];
  }
}

function isNode(value: unknown): value is DirectNode {
  const { name, address, mac, subnet } = Object(value) as Partial<Record<keyof DirectNode, unknown>>;
  return (
    typeof name === 'string' &&
    isNodeName(name) &&
    typeof address === 'string' &&
    familyOf(withoutLength(address)) !== null &&
    parseRange(address) !== null &&
    typeof mac === 'string' &&
    /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac) &&
    typeof subnet === 'string' &&
    parseRange(subnet)?.canonical === true &&
    isIpv6(subnet) === isIpv6(address)
  );
}
