import { familyOf, familyOfZoned } from '../../../net/address.ts';
import { parseRange } from '../../../net/address-range.ts';
import { arePeers } from '../../../overlay/peers/published-peers.ts';
import { arePorts } from '../../../overlay/ports/published-ports.ts';
import { isNodeName, isSystemId } from './name-forms.ts';

/** Test of a value in a record; returns true if the value is valid. */
type Check = (value: unknown) => boolean;

type Shape = { readonly [key: string]: Check | Shape };

const text: Check = (value) => typeof value === 'string';
const isText =
  (test: (word: string) => boolean): Check =>
  (value) =>
    typeof value === 'string' && test(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
/** Largest number of elements of a list in a record. It also limits the number of nodes in a cluster. */
const maxEntries = 1000;
const listOf = (check: Check): Check => {
  return (value) => Array.isArray(value) && value.length <= maxEntries && value.every(check);
};
const whole = (from: number, to: number): Check => {
  return (value) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to;
};

const range = isText((word) => parseRange(word)?.canonical === true);
const address = isText((word) => familyOf(word) !== null);
const addressWithPrefix = isText((word) => parseRange(word) !== null);
const addressOrRange = (word: string): boolean => familyOf(word) !== null || parseRange(word) !== null;
const mac = isText((word) => /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(word));
/**
 * Name of a bridge or a physical network. It contains no separator of ovn-bridge-mappings, which is a list of such
 * names (ovn-controller(8)).
 */
const plainName = isText((word) => /^[A-Za-z0-9._-]{1,63}$/.test(word));

/** Remote of the form `ssl:ADDRESS:PORT` (ovsdb(7), active connection methods); an IPv6 address is in brackets. */
const remote = isText((word) => {
  const [, bracketed, plain = '', port = ''] = /^ssl:(?:\[([^\]]+)\]|([^:[\]]+)):([0-9]{1,5})$/.exec(word) ?? [];
  return (
    Number(port) > 0 &&
    Number(port) < 65_536 &&
    (bracketed === undefined ? familyOf(plain) === 4 : familyOfZoned(bracketed) === 6)
  );
});

const layout: Shape = {
  naming: (value) => value === 'modern' || value === 'seed',
  clusterSubnets: listOf(range),
  serviceSubnets: listOf(range),
  joinSubnets: listOf(range),
  mtu: whole(576, 65_535),
  owner: plainName,
};

const gateway: Shape = {
  bridge: plainName,
  interface: orNull(plainName),
  kind: (value) => value === 'shared' || value === 'dedicated',
  physicalNetwork: plainName,
  mac,
  addresses: listOf(addressWithPrefix),
  nextHops: listOf(address),
  vlan: orNull(whole(1, 4094)),
  subnets: listOf(range),
  isUp: (value) => typeof value === 'boolean',
};

const node: Shape = {
  name: isText(isNodeName),
  id: whole(1, 4094),
  systemId: isText(isSystemId),
  subnets: listOf(range),
  encap: { types: listOf((value) => value === 'geneve' || value === 'vxlan'), addresses: listOf(address) },
  managementMac: orNull(mac),
  hostAddresses: listOf(address),
  gateway: (value) => value === null || fault(value, gateway, '') === null,
};

const orAuto =
  (check: Check): Check =>
  (value) =>
    value === 'auto' || check(value);

const gatewayRequest: Shape = {
  bridge: plainName,
  interface: orNull(plainName),
  addresses: orAuto(listOf(addressWithPrefix)),
  nextHops: orAuto(listOf(address)),
  vlan: orNull(whole(1, 4094)),
  subnets: listOf(range),
  moved: listOf(addressWithPrefix),
};

const common: Shape = { format: (value) => value === 1, layout, southbound: listOf(remote), node };

const granted: Shape = { addresses: listOf(isText((word) => addressOrRange(word))), subnets: listOf(range) };

/** Returns the fault of a member in the central node's record, as part of a sentence; null if the member is valid. */
function memberFault(value: unknown): string | null {
  const { granted: grant } = Object(value) as { readonly granted?: unknown };
  return fault(value, node, '') ?? (grant === undefined ? null : fault(grant, granted, 'granted'));
}

/** Returns the fault of a record, as part of a sentence; null if it is valid. */
export function recordFault(value: unknown): string | null {
  const members = orNull(listOf((one) => memberFault(one) === null));
  const { gateway: request, peers, ports } = Object(value) as Partial<Record<'gateway' | 'peers' | 'ports', unknown>>;
  return (
    fault(value, { ...common, members }, '') ??
    (request === undefined ? null : fault(request, gatewayRequest, 'gateway')) ??
    (peers === undefined || arePeers(peers) ? null : 'peers is not usable') ??
    (ports === undefined || arePorts(ports) ? null : 'ports is not usable')
  );
}

/** Returns the fault of a bundle, as part of a sentence; null if it is valid. */
export function bundleFault(value: unknown): string | null {
  return fault(value, { ...common, pem: { key: orNull(text), certificate: text, authority: text } }, '');
}

/** Returns the fault of the first key that is missing or invalid, as part of a sentence; null if all keys are valid. */
function fault(value: unknown, shape: Shape, at: string): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `${at || 'the file'} is not a JSON object`;
  for (const [key, wanted] of Object.entries(shape)) {
    const name = at === '' ? key : `${at}.${key}`;
    if (!Object.hasOwn(value, key)) return `${name} is missing`;
    const found = (value as Record<string, unknown>)[key];
    if (typeof wanted === 'function') {
      if (!wanted(found)) return `${name} is not usable`;
      continue;
    }
    const inner = fault(found, wanted, name);
    if (inner !== null) return inner;
  }
  return null;
}
