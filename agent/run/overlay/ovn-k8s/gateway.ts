import { AgentError } from '../../../errors.ts';
import type { HostFacts } from '../../../facts/overlay.ts';
import type { Link } from '../../../model/observation.ts';
import type { OverlayGateway } from '../../../model/overlay.ts';
import type { PortChange } from '../../../model/overlay-plan.ts';
import type { GatewayRequest } from '../../../model/ovn-k8s.ts';
import { type AddressRange, parseRange } from '../../../net/address-range.ts';
import { physicalNetwork } from '../../../overlay/node-there.ts';

/** A NIC's own bridge. The kernel's names have 15 characters; those of NICs differ at their end. */
function bridgeFor(nic: string): string {
  return `br-gw${nic.slice(-10)}`;
}

/** The way out that was asked for, with what only the kernel knows of it. Refuses a NIC that the node itself needs. */
export function gatewayAsked(
  { device, addresses, nextHops, subnets }: GatewayRequest,
  host: HostFacts,
  encapAddresses: readonly string[],
): OverlayGateway {
  const link = host.links.find(({ name }) => name === device.name);
  if (link === undefined) {
    throw new AgentError(
      'interface-not-found',
      `there is no ${device.kind === 'nic' ? 'NIC' : 'bridge'} ${device.name}`,
      {
        hint: 'look at `ip link`; a bridge is made of a NIC by: microshift-net bridge add NIC',
      },
    );
  }
  const isNic = device.kind === 'nic';
  if (isNic) refuseNeeded(link, host, encapAddresses);
  const complete = addresses.map((address) => withLength(address, link));
  for (const hop of nextHops) refuseUnreached(hop, complete);
  return {
    bridge: isNic ? bridgeFor(device.name) : device.name,
    kind: isNic ? 'dedicated' : 'shared',
    interface: isNic ? device.name : null,
    physicalNetwork: physicalNetwork(isNic ? device.name : null),
    mac: link.mac,
    addresses: complete,
    nextHops,
    vlan: null,
    subnets,
    isUp: true,
  };
}

/** Takes a NIC that is the gateway's alone from the node. The kernel shows no address of a device that is down, so that one gets rid of all then, too. */
export function planNic(gateway: OverlayGateway | null, { links }: HostFacts): readonly PortChange[] {
  const link = links.find(({ name }) => name === gateway?.interface);
  if (link === undefined) return [];
  const isBare = !link.addresses.some(({ scope }) => scope === 'global');
  if (link.up && isBare) return [];
  const why = `${link.name} is the gateway's alone`;
  const flush = { command: `addr flush dev ${link.name} scope global`, why };
  return link.up ? [flush] : [flush, { command: `link set dev ${link.name} up`, why }];
}

/** Nobody could reach the node any more, or no tunnel end here. */
function refuseNeeded(link: Link, { routes }: HostFacts, encapAddresses: readonly string[]): void {
  const hasDefault = routes.some(
    ({ device, destination }) => device === link.name && ['0.0.0.0/0', '::/0'].includes(destination),
  );
  const hasTunnels = link.addresses.some(({ address }) => encapAddresses.includes(address));
  if (!hasDefault && !hasTunnels) return;
  const what = hasDefault ? "the node's default route" : 'the address at which tunnels end';
  throw new AgentError('interface-unsuitable', `${link.name} has ${what}, and would be the gateway's alone`, {
    hint: `share it: make a bridge of it (microshift-net bridge add ${link.name}), and use --bridge-interface`,
    facts: { interface: link.name },
  });
}

function withLength(address: string, link: Link): string {
  if (address.includes('/')) return address;
  const own = link.addresses.find((one) => one.address === address);
  if (own !== undefined) return `${address}/${own.prefixLength}`;
  throw new AgentError('bad-usage', `--physical-ip: ${address} has no prefix, and ${link.name} has no such address`, {
    hint: `write it with its prefix, like ${address}/24`,
  });
}

function refuseUnreached(hop: string, addresses: readonly string[]): void {
  const reached = (range: AddressRange | null): boolean => {
    const one = range === null ? null : parseRange(`${hop}/${range.family === 4 ? 32 : 128}`);
    return range !== null && one !== null && one.first >= range.first && one.last <= range.last;
  };
  if (addresses.map(parseRange).some(reached)) return;
  throw new AgentError('bad-usage', `--default-gw: ${hop} is in no subnet of --physical-ip ${addresses.join(',')}`, {
    hint: 'name a router in the LAN of the gateway',
  });
}
