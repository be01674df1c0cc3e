import { isAgentError } from '../../../errors.ts';
import type { HostFacts } from '../../../facts/overlay-host.ts';
import type { Config } from '../../../model/config.ts';
import type { OverlayGateway, OverlayLayout, OverlayNode } from '../../../model/overlay.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { familyOf, inBrackets } from '../../../net/address.ts';
import { addressesAfter } from '../../../net/address-range.ts';
import { isDefault } from '../../../net/destination.ts';
import { withoutLength } from '../../../overlay/addresses.ts';
import { southboundPort } from '../certificates/listener-plan.ts';
import { identify } from './membership.ts';

/**
 * Updates the record with the present addresses of this host. The recorded tunnel address changes only if the host has
 * lost it and has another one. If a link is down or a DHCP lease is late, the host has no new address, and the record
 * does not change. On the central node, the addresses of the API server and of the southbound database are updated as
 * well. Returns the record itself if nothing changed.
 */
export function withOwnAddress(
  record: OverlayRecord,
  config: Pick<Config, 'overlay' | 'cluster'>,
  host: HostFacts,
): OverlayRecord {
  const now = movedRecord(record, config, host);
  if (now.members === null) return now;
  const known = record.node.hostAddresses;
  const served = apiServerAddresses(record.layout, config).filter(
    // A recorded address of the API server is kept even if the host does not have it yet: MicroShift adds this address
    // at each boot, after the start of this daemon.
    (address) => prefixOf(host, address) !== null || known.includes(address),
  );
  const hostAddresses = [...new Set([...now.node.encap.addresses, ...served])];
  return hostAddresses.join() === now.node.hostAddresses.join() ? now : withNode(now, { ...now.node, hostAddresses });
}

/**
 * Returns the addresses of MicroShift's API server, which are the endpoints of the service `kubernetes`:
 * apiServer.advertiseAddress, or else the first address after the range of the services. MicroShift adds the first
 * address after that range to br-ex or lo, whatever the value of network.cniPlugin is (pkg/config/config.go,
 * firstIPFromNextSubnet; pkg/node/netconfig.go).
 */
function apiServerAddresses(layout: OverlayLayout, { cluster }: Pick<Config, 'cluster'>): readonly string[] {
  const { value } = cluster.advertiseAddress;
  return value === null ? addressesAfter(layout.serviceSubnets) : [value];
}

function movedRecord(record: OverlayRecord, config: Pick<Config, 'overlay'>, host: HostFacts): OverlayRecord {
  const { node } = record;
  if (node.encap.addresses.every((address) => prefixOf(host, address) !== null)) return record;
  const identity = identityNow(config, host);
  if (identity === null) return record;
  const { addresses } = identity.encap;
  const moved = withNode(record, {
    ...node,
    encap: { ...node.encap, addresses },
    hostAddresses: identity.hostAddresses,
    gateway: node.gateway === null ? null : movedGateway(node.gateway, node.encap.addresses, addresses, host),
  });
  if (moved.members === null) return moved;
  return { ...moved, southbound: addresses.map((address) => `ssl:${inBrackets(address)}:${southboundPort}`) };
}

/** Sets the node of a record and its entry in the list of members, which only the central node has. */
function withNode(record: OverlayRecord, node: OverlayNode): OverlayRecord {
  const members = record.members?.map((member) => (member.name === node.name ? node : member)) ?? null;
  return { ...record, node, members };
}

/**
 * Returns the gateway of a node whose addresses have changed from `before` to `now`. A gateway that shares the
 * addresses of the node gets the node's new address, and the next hop of the node's default route; any other gateway is
 * unchanged.
 */
function movedGateway(
  gateway: OverlayGateway,
  before: readonly string[],
  now: readonly string[],
  host: HostFacts,
): OverlayGateway {
  if (gateway.kind !== 'shared') return gateway;
  const [address = ''] = now;
  const family = familyOf(address);
  const hop = host.routes
    .filter((route) => route.family === family && isDefault(route.destination))
    .toSorted((a, b) => a.metric - b.metric)[0]?.gateway;
  return {
    ...gateway,
    addresses: gateway.addresses.map((text) =>
      before.includes(withoutLength(text)) ? `${address}/${prefixOf(host, address)}` : text,
    ),
    nextHops:
      hop === undefined || hop === null
        ? gateway.nextHops
        : gateway.nextHops.map((text) => (familyOf(text) === family ? hop : text)),
  };
}

function prefixOf({ links }: HostFacts, address: string): number | null {
  const found = links.flatMap(({ addresses }) => addresses).find((one) => one.address === address);
  return found?.prefixLength ?? null;
}

function identityNow(config: Pick<Config, 'overlay'>, host: HostFacts) {
  try {
    return identify(config, host);
  } catch (error) {
    if (isAgentError(error)) return null;
    throw error;
  }
}
