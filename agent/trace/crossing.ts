import type { TraceCrossing, TracePacket } from '../model/overlay-trace.ts';
import type { Chassis, LogicalPort } from './logical-network.ts';
import { openFlow, type TunnelKeys } from './packet.ts';

/**
 * Returns the keys of a packet in a tunnel (ovn-architecture(7), "Tunnel Encapsulations"). Geneve: the VNI is the key
 * of the switch or router, the low 16 bits of OVN's option are the key of the egress port, and the 15 bits above are
 * the key of the ingress port. VXLAN has only 24 bits: 12 for the switch or router, and 12 for the egress port.
 */
export function tunnelKeys(encap: TraceCrossing['encap'], datapath: number, inKey: number, outKey: number): TunnelKeys {
  if (encap === 'vxlan') return { tunId: (outKey % 4096) * 4096 + (datapath % 4096), metadata: null };
  return { tunId: datapath, metadata: (inKey % 32_768) * 65_536 + (outKey % 65_536) };
}

/** Returns the keys of the two ports in OVN's option of a Geneve tunnel. */
export function portsOfMetadata(metadata: number): { readonly inKey: number; readonly outKey: number } {
  return { inKey: Math.floor(metadata / 65_536), outKey: metadata % 65_536 };
}

/**
 * Returns the passage of a packet from one node to another, through the tunnel that ovn-controller(8) prefers: Geneve
 * before VXLAN.
 */
export function crossingOf(
  from: Chassis,
  to: Chassis,
  inPort: LogicalPort,
  outPort: LogicalPort,
  packet: TracePacket,
): TraceCrossing {
  const offered = to.encaps.filter(({ type }) => from.encaps.some((own) => own.type === type));
  const chosen = offered.find(({ type }) => type === 'geneve') ?? offered[0] ?? to.encaps[0];
  const encap = chosen?.type === 'vxlan' ? 'vxlan' : 'geneve';
  const keys = tunnelKeys(encap, outPort.datapath.key, inPort.key, outPort.key);
  return {
    from: from.node,
    to: to.node,
    encap,
    address: chosen?.address ?? '',
    datapath: outPort.datapath.name,
    inPort: inPort.name,
    outPort: outPort.name,
    ...keys,
    packet,
    flow: openFlow('TUNNEL', packet, keys),
  };
}
