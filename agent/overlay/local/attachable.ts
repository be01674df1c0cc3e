import type { Link, Route } from '../../model/observation.ts';
import type { OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import type { AttachedInterface } from '../../model/overlay-port.ts';
import type { DatabaseRow, DatabaseRows } from '../../model/rows.ts';
import { globalAddresses } from '../addresses.ts';
import { madeBySwitch } from '../gateway/nic-errors.ts';
import { needOf } from '../gateway/own-nic.ts';
import { managementInterface } from '../overlay-names.ts';
import { indexRows, listOf, type RowIndex, textOf } from '../rows/row-index.ts';
import { isAttached } from './attached-rows.ts';
import { integrationBridge } from './bridge-rows.ts';

/** Facts about a node that decide which of its interfaces can belong to overlay ports. */
export interface AttachFacts {
  readonly layout: Pick<OverlayLayout, 'naming' | 'owner'>;
  readonly node: Pick<OverlayNode, 'name' | 'encap' | 'hostAddresses'>;
  readonly links: readonly Link[];
  readonly routes: readonly Route[];
  /** Address of the SSH client in whose session the agent's command runs; null if it runs in no such session. */
  readonly sshPeer: string | null;
  /** Rows of the node's Open vSwitch. */
  readonly rows: DatabaseRows;
}

/** Interfaces that a node can attach to br-int, and the reasons why it cannot attach the others. */
export interface Attachable {
  readonly attached: readonly AttachedInterface[];
  /** Sentences about the interfaces that the node cannot attach, each with the reason. */
  readonly faults: readonly string[];
}

/** Divides interfaces into those that the node can attach to br-int and those that it cannot. */
export function attachable(wanted: readonly AttachedInterface[], facts: AttachFacts): Attachable {
  const existing = indexRows(facts.rows);
  const judged = wanted.map((one) => ({
    one,
    obstacle: obstacleIn(one.interface, facts, existing) ?? replacedDevice(one.interface, facts, existing),
  }));
  return {
    attached: judged.flatMap(({ one, obstacle }) => (obstacle === null ? [one] : [])),
    faults: judged.flatMap(({ one, obstacle }) =>
      obstacle === null ? [] : [`${one.interface} is not attached for ${one.logicalPort}: ${obstacle}`],
    ),
  };
}

/**
 * Returns the reason why the node cannot attach an interface, as the end of a sentence; null if nothing prevents it. An
 * interface that does not exist can be attached: Open vSwitch connects it when it appears (ovs-vswitchd.conf.db(5),
 * Interface, error). An attached interface stays attached if it gets an address later: Open vSwitch then receives all
 * packets that arrive at the interface, including those to this address.
 */
export function obstacleTo(name: string, facts: AttachFacts): string | null {
  return obstacleIn(name, facts, indexRows(facts.rows));
}

function obstacleIn(name: string, facts: AttachFacts, existing: RowIndex): string | null {
  const { layout, node, links } = facts;
  if (madeBySwitch.test(name) || name === managementInterface(layout.naming, node.name))
    return 'Open vSwitch, OVN or the kernel makes it';
  const port = existing.named('Port', name);
  const isOurs = port !== null && isAttached(port, layout.owner);
  const place = port === null || isOurs ? null : placeOf(port, existing);
  if (place !== null) return place;
  if (existing.named('Bridge', name) !== null) return 'it is a bridge of Open vSwitch';
  const link = links.find((one) => one.name === name);
  if (link === undefined) return null;
  const need = needOf(link, node, facts);
  if (need !== null) return need;
  const [upper] = link.uppers ?? [];
  if (upper !== undefined) return `${upper} is stacked on it`;
  const [address] = isOurs ? [] : globalAddresses(link);
  return address === undefined ? null : `it has the address ${address}`;
}

/**
 * Returns the end of a sentence if a port of this product still has a former device of the interface, as after a
 * restart of a VM; null otherwise. In the userspace data path, ovs-vswitchd keeps the deleted device of a port. It
 * connects another device with the same name only after the port has been deleted and added in two transactions
 * (observed with Open vSwitch 3.1 and 4.0). A device that ovs-vswitchd has connected is promiscuous (lib/dpif-netdev.c,
 * port_create). The port therefore has a former device if its interface exists and is not promiscuous, and if
 * ovs-vswitchd has already connected a device, as a number in `ofport` shows.
 */
function replacedDevice(name: string, { layout, links }: AttachFacts, existing: RowIndex): string | null {
  const port = existing.named('Port', name);
  const link = links.find((one) => one.name === name);
  if (port === null || !isAttached(port, layout.owner) || link === undefined || link.promiscuous) return null;
  if (textOf(existing.parentOf(port)?.row ?? null, 'datapath_type') !== 'netdev') return null;
  const [number] = listOf(existing.named('Interface', name), 'ofport');
  return Number(number ?? -1) < 0 ? null : 'its port still has a former device of this name, and is made again';
}

function placeOf(port: DatabaseRow, existing: RowIndex): string {
  const bridge = textOf(existing.parentOf(port)?.row ?? null, 'name');
  return bridge === integrationBridge
    ? `it is a port of ${bridge} that another program has made`
    : `it is a port of ${bridge}`;
}
