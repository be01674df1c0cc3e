import { AgentError } from '../../../errors.ts';
import type { Link } from '../../../model/observation.ts';
import type { OverlayGateway, OverlayNode } from '../../../model/overlay.ts';
import type { GatewayRequest } from '../../../model/ovn-k8s.ts';
import { isWithin } from '../../../overlay/addresses.ts';
import { bridgeFor, networkOf } from '../../../overlay/gateway/own-gateway.ts';
import { movedAddresses, type NicFacts } from '../../../overlay/gateway/own-nic.ts';

/**
 * Completes the requested gateway with facts of the kernel: the MAC, and prefix lengths. Fails with
 * `interface-not-found` or `interface-unsuitable` if the NIC or bridge cannot be used. Fails with `bad-usage` if a
 * prefix length is unknown, or if a next hop is in no subnet of the addresses.
 */
export function gatewayAsked(
  { device, addresses, nextHops, subnets }: GatewayRequest,
  node: Pick<OverlayNode, 'encap' | 'hostAddresses'>,
  host: NicFacts,
): OverlayGateway {
  const { kind, name } = device;
  const link = host.links.find((one) => one.name === name);
  if (link === undefined) {
    throw new AgentError('interface-not-found', `the ${kind === 'nic' ? 'NIC' : 'bridge'} ${name} does not exist`, {
      hint: 'look at `ip link`; a bridge is made of a NIC by: microshift-net bridge add NIC',
    });
  }
  const complete = addresses.map((address) => withLength(address, link));
  if (kind === 'nic') movedAddresses(name, complete, node, host);
  const unreached = nextHops.find((hop) => !complete.some((address) => isWithin(hop, address)));
  if (unreached !== undefined) {
    throw new AgentError(
      'bad-usage',
      `--default-gw: ${unreached} is in no subnet of --physical-ip ${complete.join(',')}`,
      { hint: 'name a router in the LAN of the gateway' },
    );
  }
  const way = kind === 'nic' ? { bridge: bridgeFor(name), interface: name } : { bridge: name, interface: null };
  return {
    ...way,
    kind: kind === 'nic' ? 'dedicated' : 'shared',
    physicalNetwork: networkOf(way),
    mac: link.mac,
    addresses: complete,
    nextHops,
    vlan: null,
    subnets,
    isUp: true,
  };
}

function withLength(address: string, link: Link): string {
  if (address.includes('/')) return address;
  const own = link.addresses.find((one) => one.address === address);
  if (own !== undefined) return `${address}/${own.prefixLength}`;
  throw new AgentError('bad-usage', `--physical-ip: ${address} has no prefix, and ${link.name} has no such address`, {
    hint: `write it with its prefix, like ${address}/24`,
  });
}
