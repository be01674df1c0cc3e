import { openCentralDatabase } from '../../../drivers/ovn/database.ts';
import { AgentError } from '../../../errors.ts';
import { readHost, readNic } from '../../../facts/overlay-host.ts';
import type { OverlayPort, PortOptions, PortState } from '../../../model/overlay-port.ts';
import type { DatabaseRow } from '../../../model/rows.ts';
import { canonicalAddress, familyOf } from '../../../net/address.ts';
import { obstacleTo } from '../../../overlay/local/attachable.ts';
import { logicalPortOf } from '../../../overlay/ports/node-interfaces.ts';
import { refusePort } from '../../../overlay/ports/refuse-port.ts';
import { isSamePort } from '../../../overlay/ports/same-port.ts';
import { listOf, textOf } from '../../../overlay/rows/row-index.ts';
import { hostsOf } from '../../../workload/pods/port-hosts.ts';
import { portState } from '../../../workload/pods/port-state.ts';
import { openCentral, type PlannedNode, withPlan } from '../node/planned-node.ts';
import { readColumns } from '../ovn/database-rows.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { type CentralRecord, requireCentral } from '../record/record.ts';
import { changeCluster } from './change-cluster.ts';
import type { Begun } from './init-overlay.ts';
import { portRequestOf } from './port-request.ts';

/**
 * Time limit for OVN to bind an overlay port of this node, which takes milliseconds; 60 s allow for a machine that
 * swaps.
 */
const boundMs = 60_000;
/**
 * Time limit for the daemon to enable an overlay port. The daemon takes a second; without an API server, it never
 * enables the port.
 */
const openMs = 10_000;
/**
 * Time limit for another node to attach the interface of its overlay port. The daemon of that node takes a second; a
 * node that is down never attaches the interface.
 */
const otherNodeMs = 10_000;

/**
 * Adds an overlay port for the hosts behind an interface to a node's switch, and returns it. A second run with the same
 * request does not change the record. Refuses an interface of this node that cannot be attached, for example because
 * the node needs it itself. Rolls back after a failure and after a signal.
 */
export async function addPort(
  name: string,
  options: PortOptions,
  places: OverlayPlaces,
  say: (step: string) => void,
): Promise<Begun & { readonly state: PortState }> {
  const before = requireCentral(places.record);
  const request = portRequestOf(name, options, before.node.name);
  const { ports = [] } = before;
  const same = ports.find((one) => isSamePort(request, one));
  const port = same ?? (await withPlan(before, places, (planned) => newPort(request, planned)));
  const wanted = same === undefined ? { ...before, ports: [...ports, port] } : before;
  const begun = await changeCluster(before, wanted, places, say, (stop) =>
    proveBound(before, port, { ...places, stop }, say),
  );
  const node = before.members.find((one) => one.name === port.node) ?? before.node;
  return { ...begun, state: portState(port, node, before.layout, begun.changes.faults.length === 0) };
}

/**
 * Removes an overlay port with its rows and addresses. Does not change the record if the cluster has no overlay port of
 * this name.
 */
export function removePort(name: string, places: OverlayPlaces, say: (step: string) => void): Promise<Begun> {
  const before = requireCentral(places.record);
  const { ports = [], ...others } = before;
  const left = ports.filter((one) => one.name !== name);
  return changeCluster(before, left.length === 0 ? others : { ...others, ports: left }, places, say);
}

/** Returns the overlay ports of the cluster. Runs on the central node. */
export async function listPorts(places: OverlayPlaces): Promise<readonly PortState[]> {
  const { layout, members, ports = [] } = requireCentral(places.record);
  const rows = await switchPorts(places);
  const bound = new Set(rows.filter((row) => listOf(row, 'up')[0] === true).map((row) => textOf(row, 'name')));
  return members.flatMap((node) =>
    ports
      .filter((port) => port.node === node.name)
      .map((port) => portState(port, node, layout, bound.has(logicalPortOf(port)))),
  );
}

async function switchPorts(places: OverlayPlaces): Promise<readonly DatabaseRow[]> {
  const northbound = await openCentral('OVN_Northbound', places);
  const { tables } = await readColumns(northbound, { Logical_Switch_Port: ['name', 'up'] }).finally(() =>
    northbound.close(),
  );
  return tables.Logical_Switch_Port ?? [];
}

/**
 * Returns the requested overlay port, with the addresses of its hosts. Fails if the cluster or this node cannot have
 * the port.
 */
async function newPort(
  { macs, addresses, ...request }: ReturnType<typeof portRequestOf>,
  { record, members, databases, local }: PlannedNode,
): Promise<OverlayPort> {
  const { layout, node: own, ports = [] } = record;
  const rows = databases.find(({ database }) => database.name === 'OVN_Northbound')?.rows.tables ?? {};
  const used = inUse(rows.Logical_Switch_Port ?? [], rows.Logical_Router_Port ?? []);
  const asked = { ...request, macs, addresses };
  const node = refusePort(asked, { members, ports, macs: used });
  if (node.name === own.name) {
    const { links, routes, sshPeer } = await readNic(null);
    const obstacle = obstacleTo(request.interface, { layout, node: own, links, routes, sshPeer, rows: local.rows });
    if (obstacle !== null) throw unsuitable(request.interface, obstacle);
    const link = links.find((one) => one.name === request.interface);
    if (link !== undefined && link.mtuBytes < layout.mtu)
      throw unsuitable(
        request.interface,
        `its MTU is ${link.mtuBytes}, and packets of pods have up to ${layout.mtu} bytes`,
      );
  }
  return { ...request, hosts: hostsOf(asked, node, used) };
}

/** Returns the MACs and addresses that ports of switches and routers have, each with the name of the port. */
function inUse(...tables: readonly (readonly DatabaseRow[])[]): ReadonlyMap<string, string> {
  const found = tables.flat().flatMap((row) => {
    const words = ['addresses', 'dynamic_addresses', 'mac', 'networks'].flatMap((column) =>
      listOf(row, column).flatMap((text) => String(text).split(' ')),
    );
    const plain = words.map((word) => word.replace(/\/.*/, ''));
    return plain.map(
      (word) => [familyOf(word) === null ? word.toLowerCase() : canonicalAddress(word), textOf(row, 'name')] as const,
    );
  });
  return new Map(found);
}

function unsuitable(device: string, obstacle: string): AgentError {
  return new AgentError('interface-unsuitable', `${device} cannot lead to hosts of the cluster: ${obstacle}`, {
    hint: `choose an interface that the node does not use; to free one: ip address flush dev ${device}, and nmcli device set ${device} managed no`,
    facts: { interface: device },
  });
}

/**
 * Waits until OVN has bound the overlay port to its interface. Fails with `proof-failed` if the interface of this node
 * exists and is not bound at the time limit. Returns sentences about what is missing: an interface that does not exist
 * yet, an interface that another node has not attached, or a port that the daemon has not enabled.
 */
async function proveBound(
  { node }: CentralRecord,
  port: OverlayPort,
  { ovnRuns, stop }: OverlayPlaces,
  say: (step: string) => void,
): Promise<readonly string[]> {
  const isHere = port.node === node.name;
  if (isHere && !readHost().links.some((link) => link.name === port.interface))
    return [`${port.interface} does not exist on ${port.node} yet; its hosts join when it appears`];
  const limitMs = isHere ? boundMs : otherNodeMs;
  say(`waiting up to ${limitMs / 1000} s until OVN has connected ${port.interface} of ${port.node}`);
  const northbound = await openCentralDatabase('OVN_Northbound', ovnRuns, stop);
  const where = [
    ['name', '==', logicalPortOf(port)],
    ['up', '==', true],
  ] as const;
  const isBound = await northbound
    ?.appears({ table: 'Logical_Switch_Port', where }, limitMs)
    .finally(() => northbound.close());
  if (isBound === true) return proveOpen(port, { ovnRuns, stop });
  if (!isHere)
    return [
      `${port.node} has not attached ${port.interface}; look there at \`microshift-net overlay verify\` and \`ip link show ${port.interface}\``,
    ];
  throw new AgentError('proof-failed', `OVN has not connected ${port.interface} within ${limitMs / 1000} s`, {
    hint: 'look at `ovs-vsctl show` and /var/log/ovn/ovn-controller.log for what prevents it',
  });
}

/**
 * Waits until the daemon has applied the network policies to the overlay port and has enabled it. Returns a sentence if
 * the port is still disabled at the time limit.
 */
async function proveOpen(
  port: OverlayPort,
  { ovnRuns, stop }: Pick<OverlayPlaces, 'ovnRuns' | 'stop'>,
): Promise<readonly string[]> {
  const northbound = await openCentralDatabase('OVN_Northbound', ovnRuns, stop);
  const where = [
    ['name', '==', logicalPortOf(port)],
    ['enabled', '==', ['set', []]],
  ] as const;
  const isOpen = await northbound
    ?.appears({ table: 'Logical_Switch_Port', where }, openMs)
    .finally(() => northbound.close());
  if (isOpen === true) return [];
  return [
    `the port stays closed until the daemon has applied the network policies: \`microshift-net overlay status\` shows what keeps it`,
  ];
}
