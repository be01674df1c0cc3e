import { linkKindOf, traitsOf } from '../model/link-kinds.ts';
import { bridgesOf } from '../model/names.ts';
import { isOvsDevice, type Link, type NmDevice, type Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import { uplinkInBridge } from '../model/uplink-in-bridge.ts';
import { isDefault } from '../net/destination.ts';
import { stableAddresses } from '../plan/bridge/handover.ts';
import { joinLines, type Style } from './style.ts';

/** Block of a drawing: a bridge with its ports, or a NIC that is in no bridge. */
export interface Block {
  readonly name: string;
  readonly kind: 'bridge' | 'nic';
  readonly mac: string;
  readonly mtuBytes: number | null;
  readonly addresses: readonly string[];
  readonly gateways: readonly string[];
  readonly ports: readonly Port[];
}

interface Port {
  readonly name: string;
  readonly role: string;
}

/** Words in place of the gateway of a default route that has no gateway, because its destinations are on the link. */
export const onLink = 'the link itself';

/** Returns the agent's bridges, and the NICs outside of them, as observed. */
export function observedTopology(observation: Observation): readonly Block[] {
  const bridges = bridgesOf(observation);
  const uplinks = new Set(bridges.map((names) => uplinkInBridge(names, observation)));
  const names = bridges.map((entry) => entry.bridge);
  const rows = observation.ovs.bridges.filter((bridge) => names.includes(bridge.name));
  // The routes are filtered once for all links, because there may be hundreds of links, devices and routes.
  const narrow = { ...observation, routes: observation.routes.filter((route) => isDefault(route.destination)) };
  const devices = firstByName(observation.networkManager.devices);
  // A tunnel in a bridge of another program, such as the VXLAN device of a peer, does not lead into the LAN.
  const leadsOut = (link: Link): boolean => link.master === null || traitsOf(linkKindOf(link, observation)).isNic;
  const nics = observation.links.filter(
    (link) => link.hardwareType === 1 && !uplinks.has(link.name) && isNic(devices.get(link.name)) && leadsOut(link),
  );
  return [
    ...rows.map((row): Block => {
      const link = observation.links.find((entry) => entry.name === row.name);
      const ports = row.ports
        .flatMap((port) => port.interfaces)
        .map(({ name, type }) => ({ name, role: uplinks.has(name) ? uplinkRole : portRole(type) }));
      return { ...linkBlock(row.name, link, observation), kind: 'bridge', ports: ports.toSorted(byRole) };
    }),
    ...nics.map((link): Block => ({ ...linkBlock(link.name, link, narrow), kind: 'nic', ports: [] })),
  ];
}

/** Returns the topology after a plan. */
export function plannedTopology(plan: Plan, observation: Observation): readonly Block[] {
  const uplinks = new Set(plan.wanted.bridges.map((bridge) => bridge.uplink?.interface));
  const bridges = bridgesOf(observation, plan.wanted.added);
  const bridgeNames = new Set(bridges.map((entry) => entry.bridge));
  const others = observedTopology(observation).filter(
    (block) => !bridgeNames.has(block.name) && !uplinks.has(block.name),
  );
  const kept = new Set(plan.wanted.bridges.map((entry) => entry.bridge));
  const returned = plan.before.filter(({ interface: name }) => bridgeNames.has(name) && !kept.has(name));
  const made = plan.wanted.bridges.map((bridge): Block => {
    const moved = plan.carried.find((entry) => entry.interface === bridge.bridge);
    const link = observation.links.find((entry) => entry.name === (bridge.uplink?.interface ?? bridge.bridge));
    const uplink: Port[] = bridge.uplink === null ? [] : [{ name: bridge.uplink.interface, role: uplinkRole }];
    return {
      name: bridge.bridge,
      kind: 'bridge',
      mac: bridge.mac.toLowerCase(),
      mtuBytes: link?.mtuBytes ?? null,
      addresses: moved?.addresses ?? [],
      gateways: moved?.defaultGateways ?? [],
      ports: [...uplink, { name: bridge.bridge, role: portRole('internal') }],
    };
  });
  const given = returned.flatMap((entry): Block[] => {
    const names = bridges.find((candidate) => candidate.bridge === entry.interface);
    const uplink = names === undefined ? null : uplinkInBridge(names, observation);
    const link = observation.links.find((candidate) => candidate.name === uplink);
    return uplink === null
      ? []
      : [
          {
            ...linkBlock(uplink, link, observation),
            kind: 'nic',
            addresses: entry.addresses,
            gateways: plan.carried.find((moved) => moved.interface === uplink)?.defaultGateways ?? [],
            ports: [],
          },
        ];
  });
  return [...made, ...given, ...others];
}

/** Returns a drawing of blocks, one below the other. */
export function drawTopology(blocks: readonly Block[], style: Style): string {
  if (blocks.length === 0) return '  (no network device)';
  return joinLines(blocks.flatMap((block) => drawBlock(block, style)));
}

function drawBlock(block: Block, style: Style): readonly string[] {
  const mtu = block.mtuBytes === null ? '' : `  mtu ${block.mtuBytes}`;
  const title = `${style('bold', block.name)} ${'─'.repeat(Math.max(2, 18 - block.name.length))} ${block.mac}${mtu}`;
  const facts = [...block.addresses, ...block.gateways.map((gateway) => `default via ${gateway}`)];
  if (block.kind === 'nic') return [`  ● ${title}  → LAN`, ...facts.map((fact) => `      ${fact}`), ''];
  const ports = block.ports.map((port, position) => {
    const corner = position === block.ports.length - 1 ? '╰' : '├';
    return `  ${corner}── ${port.name.padEnd(14)} ${style('dim', port.role)}`;
  });
  return [`  ╭─ ${title}`, ...facts.map((fact) => `  │    ${fact}`), ...ports, ''];
}

function linkBlock(name: string, link: Link | undefined, observation: Observation): Omit<Block, 'kind' | 'ports'> {
  const gateways = observation.routes
    .filter((route) => route.device === name && isDefault(route.destination))
    .map((route) => `${route.gateway ?? onLink} metric ${route.metric}`);
  return {
    name,
    mac: link?.mac ?? '',
    mtuBytes: link?.mtuBytes ?? null,
    addresses: link === undefined ? [] : stableAddresses(link),
    gateways,
  };
}

function firstByName(devices: readonly NmDevice[]): ReadonlyMap<string, NmDevice> {
  return new Map(devices.toReversed().map((device) => [device.interface, device]));
}

function isNic(device: NmDevice | undefined): boolean {
  return device !== undefined && device.state > 10 && !isOvsDevice(device);
}

const uplinkRole = 'uplink   → LAN';

/**
 * Returns the role of a port that is not an uplink. A device of the kernel, such as the veth of a container or the tap
 * of a virtual machine, has the role `port`.
 */
function portRole(type: string): string {
  if (type === '' || type === 'system') return 'port';
  if (type === 'internal') return 'internal → this host';
  return type === 'patch' ? 'patch    → br-int' : type;
}

function byRole(a: Port, b: Port): number {
  return Number(a.role < b.role) - Number(a.role > b.role);
}
