import type { OverlayTunnel } from '../../model/overlay-daemon.ts';
import type { DatabaseRow, DatabaseRows } from '../../model/rows.ts';
import { indexRows, mapOf, textOf } from '../rows/row-index.ts';

/** Tunnel of this node as rows of Open_vSwitch, with the chassis to which it leads. */
interface TunnelRow {
  readonly chassis: string;
  readonly end: DatabaseRow;
}

/**
 * Returns the tunnels of this node. ovn-controller marks their ports with the chassis to which they lead
 * (ovn-controller(8), ovn-chassis-id: CHASSIS@ADDRESS).
 */
export function tunnelsOf(rows: DatabaseRows): readonly OverlayTunnel[] {
  return tunnelRows(rows).map(({ chassis, end }) => ({
    interface: textOf(end, 'name'),
    type: textOf(end, 'type'),
    chassis,
    remoteAddress: mapOf(end, 'options').remote_ip ?? '',
    fault: faultOf(end),
  }));
}

/**
 * Returns the system-ids of the chassis to which all tunnels of this node have failed. A BFD session that has not been
 * up yet since the start of ovs-vswitchd has not failed: such a session says nothing about the other chassis.
 */
export function unreachedChassis(rows: DatabaseRows): readonly string[] {
  return chassisWithout(
    rows,
    (end) => deviceFault(end) === null && (bfdFault(end) === null || mapOf(end, 'bfd_status').flap_count === '0'),
  );
}

/**
 * Returns the system-ids of the chassis with which no BFD session of this node is up at both ends. The other end of a
 * session may come up later than this end, by up to its interval. A tunnel without BFD counts as one that is up.
 */
export function unconfirmedChassis(rows: DatabaseRows): readonly string[] {
  return chassisWithout(rows, (end) => {
    const { remote_state: remote = 'up' } = mapOf(end, 'bfd').enable === 'true' ? mapOf(end, 'bfd_status') : {};
    return faultOf(end) === null && remote === 'up';
  });
}

/** Returns the system-ids of the chassis to which no tunnel meets the condition. */
function chassisWithout(rows: DatabaseRows, condition: (end: DatabaseRow) => boolean): readonly string[] {
  const tunnels = tunnelRows(rows);
  const met = new Set(tunnels.filter(({ end }) => condition(end)).map(({ chassis }) => chassis));
  return [...new Set(tunnels.map(({ chassis }) => chassis).filter((chassis) => !met.has(chassis)))];
}

function tunnelRows(rows: DatabaseRows): readonly TunnelRow[] {
  const existing = indexRows(rows);
  return existing.all('Port').flatMap((port) => {
    const chassis = mapOf(port, 'external_ids')['ovn-chassis-id'];
    const [end = null] = existing.referred(port, 'interfaces', 'Interface');
    return chassis === undefined || end === null ? [] : [{ chassis: chassis.split('@')[0] ?? chassis, end }];
  });
}

/** Returns the fault of a tunnel's interface as a sentence; null if the interface has no fault. */
function faultOf(end: DatabaseRow): string | null {
  return deviceFault(end) ?? bfdFault(end);
}

/**
 * Returns the fault of a tunnel's device as a sentence (ovs-vswitchd.conf.db(5)); null if the device has no fault. The
 * interface has a carrier if the device by which its packets leave has one.
 */
function deviceFault(end: DatabaseRow): string | null {
  const error = textOf(end, 'error');
  if (error !== '') return `Open vSwitch could not make it: ${error}`;
  if (textOf(end, 'ofport') === '-1') return 'Open vSwitch could not make it';
  if (textOf(end, 'admin_state') === 'down') return 'it is not up';
  if (textOf(end, 'link_state') !== 'down') return null;
  const device = mapOf(end, 'status').tunnel_egress_iface;
  return device === undefined ? 'nothing leads to its other end' : `${device}, by which it leaves, has no carrier`;
}

/**
 * Returns the fault that BFD reports, as a sentence; null if the session is up or BFD is off. ovn-controller enables
 * BFD on the tunnels whose state decides which gateway is used (ovn-architecture(7), "High Availability for
 * Distributed Gateway Ports").
 */
function bfdFault(end: DatabaseRow): string | null {
  const bfd = mapOf(end, 'bfd_status');
  if (mapOf(end, 'bfd').enable !== 'true' || bfd.state === undefined || bfd.state === 'up') return null;
  return `BFD says ${bfd.state}${bfd.diagnostic === undefined ? '' : `: ${bfd.diagnostic}`}`;
}

/** System-ids of the chassis at the two ends of a tunnel. */
export interface Ends {
  readonly from: string;
  readonly to: string;
  /** Tunnel addresses of the chassis `to`. */
  readonly addresses: readonly string[];
}

/**
 * Returns the reason that the southbound database shows for a missing tunnel from one chassis to another; null if it
 * shows no reason. ovn-controller creates a tunnel of a type that both chassis offer (ovn-controller(8),
 * ovn-encap-type) to each registered chassis.
 */
export function tunnelMissing({ from, to, addresses }: Ends, rows: DatabaseRows): string | null {
  const encaps = encapsOf(rows);
  const [own, other] = [encaps.filter((one) => one.chassis === from), encaps.filter((one) => one.chassis === to)];
  if (other.length === 0) {
    const taken = encaps.find(({ ip }) => addresses.includes(ip));
    if (taken === undefined) return 'it has not registered';
    return `it has not registered: chassis ${taken.chassis} has its address ${taken.ip}`;
  }
  if (own.length === 0) return 'this node itself has not registered';
  const both = other.find(({ ip }) => own.some((one) => one.ip === ip));
  if (both !== undefined) return `it has the address of this node, ${both.ip}`;
  if (other.some(({ type }) => own.some((one) => one.type === type))) return null;
  return `no type in common: ${typesOf(own)} here, ${typesOf(other)} there`;
}

interface Encap {
  readonly chassis: string;
  readonly type: string;
  readonly ip: string;
}

/** Returns the tunnel endpoints of registered chassis; a row of Encap is deleted with its chassis (ovn-sb(5)). */
function encapsOf(rows: DatabaseRows): readonly Encap[] {
  const existing = indexRows(rows);
  return existing.all('Chassis').flatMap((chassis) =>
    existing.referred(chassis, 'encaps', 'Encap').map((row) => ({
      chassis: textOf(chassis, 'name'),
      type: textOf(row, 'type'),
      ip: textOf(row, 'ip'),
    })),
  );
}

function typesOf(encaps: readonly Encap[]): string {
  return [...new Set(encaps.map(({ type }) => type))].toSorted().join(' and ');
}
