import type { Link } from '../../model/observation.ts';
import type { VtepPeer } from '../../model/overlay-peer.ts';
import type { PortChange } from '../../model/overlay-plan.ts';
import { vtepBridge, vtepDevice } from '../overlay-names.ts';

/** MAC of the VXLAN devices of this product and of their bridge, by which they are recognized. No packet has it. */
const ownMac = '0a:58:76:74:65:70';

/**
 * UDP port at which the VXLAN devices receive packets, all of which the bridge drops. It is not the port of VXLAN
 * itself, which belongs to Open vSwitch.
 */
const unusedPort = 6077;

/** Entry in the forwarding table of a VXLAN device (bridge(8), fdb), by which a MAC is at a VTEP. */
export interface VtepEntry {
  readonly mac: string;
  /** Address of the VTEP. */
  readonly address: string;
  /** True for an entry of a control plane. ovn-controller ignores other entries. */
  readonly isExternal: boolean;
}

/** Returns the names of the present VXLAN devices of this product. */
export function vtepDevicesIn(links: readonly Link[]): readonly string[] {
  return links.filter(({ name, mac }) => mac === ownMac && /^vxlan-\d+$/.test(name)).map(({ name }) => name);
}

/**
 * Plans the VXLAN devices and their entries from which ovn-controller learns the VTEPs of peers
 * (controller/neighbor-exchange.c, neighbor_exchange_run), and the removal of devices without a peer. `entries` has the
 * entries of the present devices. The devices carry no packets, because Open vSwitch itself ends the tunnels. They have
 * to be up nevertheless, because ovn-controller learns of a new device only when it comes up
 * (controller/host-if-monitor.c, if_notifier_cb). They are ports of a bridge that is down, and such a port drops every
 * packet that it receives. A device comes up last, when it has its entry.
 */
export function planVtepDevices(
  peers: readonly VtepPeer[],
  links: readonly Link[],
  entries: ReadonlyMap<string, readonly VtepEntry[]>,
): readonly PortChange[] {
  const present = vtepDevicesIn(links);
  const wanted = peers.map(({ vtep }) => vtepDevice(vtep.vni));
  const bridge = links.find(({ name, mac }) => name === vtepBridge && mac === ownMac);
  const gone = present
    .filter((device) => !wanted.includes(device))
    .map((device) => ip(`link delete dev ${device}`, `no peer is reached with the VNI of ${device}`));
  if (peers.length === 0)
    return [
      ...gone,
      ...(bridge === undefined ? [] : [ip(`link delete dev ${vtepBridge}`, 'no peer is reached in VXLAN')]),
    ];
  const make = `link add name ${vtepBridge} address ${ownMac} type bridge`;
  return [
    ...gone,
    ...(bridge === undefined ? [ip(make, 'the bridge drops packets that VXLAN devices receive')] : []),
    ...(bridge?.up === true ? [ip(`link set dev ${vtepBridge} down`, `${vtepBridge} must not forward packets`)] : []),
    ...peers.flatMap((peer) => planDevice(peer, links, entries)),
  ];
}

function planDevice(
  { name, vtep: { vni, mac, address } }: VtepPeer,
  links: readonly Link[],
  entries: ReadonlyMap<string, readonly VtepEntry[]>,
): readonly PortChange[] {
  const device = vtepDevice(vni);
  const link = vtepDevicesIn(links).includes(device) ? links.find((one) => one.name === device) : undefined;
  const there = entries.get(device) ?? [];
  const isWanted = (one: VtepEntry): boolean => one.mac === mac && one.address === address && one.isExternal;
  const make = `link add name ${device} address ${ownMac} master ${vtepBridge} type vxlan id ${vni} dstport ${unusedPort} nolearning`;
  return [
    ...(link === undefined ? [ip(make, `ovn-controller reads the VTEP of the peer ${name} on ${device}`)] : []),
    ...(link !== undefined && link.master !== vtepBridge
      ? [ip(`link set dev ${device} master ${vtepBridge}`, `${device} must not receive packets`)]
      : []),
    ...there
      .filter((one) => !isWanted(one))
      .map((one) => fdb(`del ${one.mac} dev ${device} dst ${one.address}`, `the peer ${name} has another VTEP or MAC`)),
    ...(there.some(isWanted)
      ? []
      : [
          fdb(
            `add ${mac} dev ${device} dst ${address} self static extern_learn`,
            `${device} does not name ${address}, the VTEP of the peer ${name}`,
          ),
        ]),
    ...(link?.up === true ? [] : [ip(`link set dev ${device} up`, `${device} is not up`)]),
  ];
}

function ip(command: string, why: string): PortChange {
  return { program: 'ip', command, why };
}

function fdb(command: string, why: string): PortChange {
  return { program: 'bridge', command: `fdb ${command}`, why };
}
