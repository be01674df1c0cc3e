import type { OverlayChassis, OverlayNode } from '../../model/overlay.ts';
import { escapeText } from '../../printable.ts';
import { isHost, isIpv6 } from '../addresses.ts';

/**
 * Largest length of the sentence that describes a fault, in characters. The longest name in a certificate of this
 * product fits into such a sentence.
 */
const maxFaultCharacters = 200;

/** Credible claims of chassis about themselves, and the faults of the other claims. */
export interface BelievedClaims {
  /** Tunnel addresses of each member that has registered, by its system-id: at most one of each family. */
  readonly tunnelAddresses: ReadonlyMap<string, readonly string[]>;
  /** Sentences about claims that a certificate does not cover; each begins with the certificate's name. */
  readonly faults: readonly string[];
  /**
   * Sentences about registered chassis that are not members, such as the chassis of a removed node that still runs.
   * Their registrations have no effect.
   */
  readonly strangers: readonly string[];
}

/**
 * Compares the claims of chassis with the certificates with which they were written. In a row of Chassis or Encap,
 * OVN's access control checks only the name of the chassis (ovn-sb(5), RBAC_Permission, whose rows ovn-northd writes).
 * The name has to be the common name of the certificate, which is the member's system-id. A chassis is therefore a
 * member by its name alone, and its hostname decides nothing. A false claim is ignored and has no effect on other
 * members. The index of Encap permits one row for each address and tunnel type. If two chassis claim an address with
 * different tunnel types, the claim with a type of the central node takes precedence. `own` is the central node, whose
 * address is known without a registration.
 */
export function believedClaims(
  own: OverlayNode,
  members: readonly OverlayNode[],
  chassis: readonly OverlayChassis[],
): BelievedClaims {
  const faults: string[] = [];
  const sentence = (name: string, what: string): string => {
    const who = members.find(({ systemId }) => systemId === name)?.name;
    return escapeText(`certificate ${name}${who === undefined ? '' : ` (${who})`} ${what}`, maxFaultCharacters);
  };
  const accuse = (name: string, what: string): void => {
    faults.push(sentence(name, what));
  };
  const registered = chassis.filter(({ name }) => members.some(({ systemId }) => systemId === name));
  for (const one of chassis) {
    const other = members.find(({ name, systemId }) => systemId !== one.name && isNamed(one.hostname, name));
    if (other !== undefined) accuse(one.name, `registers under the name of ${other.name}`);
  }
  const claims = registered.flatMap(({ name, encaps }) => encaps.map((encap) => ({ ...encap, name })));
  const isOfCluster = ({ type }: (typeof claims)[number]): boolean => own.encap.types.some((one) => one === type);
  const holders = new Map(own.encap.addresses.map((address) => [address, own.systemId]));
  const tunnelAddresses = new Map(registered.map(({ name }): [string, string[]] => [name, []]));
  for (const { name, address, owner } of claims.toSorted((a, b) => Number(isOfCluster(b)) - Number(isOfCluster(a)))) {
    const believed = tunnelAddresses.get(name) ?? [];
    const holder = holders.get(address) ?? name;
    if (owner !== '' && owner !== name) accuse(name, `uses the tunnel address ${address} of ${owner}`);
    else if (holder !== name) accuse(name, `claims the tunnel address ${address} of ${holder}`);
    else if (!isHost(address)) accuse(name, `claims "${address}" as a tunnel address`);
    else if (!believed.includes(address)) {
      holders.set(address, name);
      believed.push(address);
    }
  }
  for (const [name, believed] of tunnelAddresses) {
    // If a member has several addresses of one family, none of these is accepted. Other nodes would reach the member at
    // only one of them, and the rest could attract packets for another node.
    const isAlone = (address: string): boolean =>
      believed.filter((one) => isIpv6(one) === isIpv6(address)).length === 1;
    const [several] = believed.filter((address) => !isAlone(address));
    if (several !== undefined) accuse(name, `has more than one tunnel address of a family, ${believed.join(' and ')}`);
    tunnelAddresses.set(name, believed.filter(isAlone));
  }
  const strangers = chassis
    .filter((one) => !registered.includes(one))
    .map(({ name }) => sentence(name, 'is registered, but belongs to no member'));
  return { tunnelAddresses, faults, strangers };
}

/** Returns true if a hostname is a node's name, or that name with a domain. */
function isNamed(hostname: string, node: string): boolean {
  return hostname === node || hostname.startsWith(`${node}.`);
}
