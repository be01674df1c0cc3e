import { droppedAt, flowOf, type Progress, translate } from './leg.ts';
import type { TraceStep } from './ovn-trace.ts';
import { withDestination } from './packet.ts';
import { isAclStage } from './rules.ts';

/** Types of ports behind which the next switch or router begins. */
const inner: ReadonlySet<string> = new Set(['patch', 'l3gateway']);

type Handler = (progress: Progress, found: readonly string[], step: TraceStep) => void;

/** Handlers of the actions of a flow (ovn-sb(5), Logical_Flow actions), as ovn-trace prints them. */
const handlers: readonly (readonly [RegExp, Handler])[] = [
  [/^eth\.src = ([0-9a-f:]{17});/, (progress, [mac = '']) => change(progress, { ethSource: mac })],
  [/^eth\.dst = ([0-9a-f:]{17});/, (progress, [mac = '']) => change(progress, { ethDestination: mac })],
  [/^\/\* MAC binding to ([0-9a-f:]{17})\. \*\//, (progress, [mac = '']) => change(progress, { ethDestination: mac })],
  [/^eth\.dst <-> eth\.src;/, swapMacs],
  [/^ip\.ttl--;/, (progress) => change(progress, { ttl: progress.packet.ttl - 1 })],
  [/^ip[46]\.(?:dst <-> ip[46]\.src|src <-> ip[46]\.dst);/, answered],
  [/^x{0,2}reg0 = ([0-9a-f.:]+);/, nextHop],
  [/^outport = "(.*)";/, (progress, [port = '']) => (progress.outPort = progress.facts.network.port(port))],
  [
    /^\/\* Replacing type "chassisredirect" outport "(.*)" with distributed port/,
    (progress, [port = '']) => (progress.redirect = progress.facts.network.port(port)),
  ],
  [/^flags\.force_snat_for_(?:lb|dnat) = 1;|^ct_lb.*force_snat/, force],
  [/^ct_lb(?:_mark)?\(backends=([^;)]*)/, balance],
  // In the action commit_lb_aff, OVN records the backend of a client, and drops the packet. Only later packets of the
  // client reach the backend. ovn-trace also ends there, so another run shows the further path of those packets.
  [/^commit_lb_aff\(/, goOn],
  [/^drop;/, (progress) => (progress.drop ??= droppedAt(progress, 'dropped'))],
  [/^reject\b/, (progress) => (progress.outcome = droppedAt(progress, 'rejected'))],
  [/^\/\* omitting output because/, (progress) => (progress.drop ??= droppedAt(progress, 'dropped'))],
  [/^\*\*\* /, (progress) => (progress.drop ??= droppedAt(progress, 'dropped'))],
  [/^\/\* output to "(.*)", type "(.*)" \*\//, arrive],
];

/** Follows a packet through one step of a pipeline. */
export function readStep(progress: Progress, step: TraceStep): void {
  if (step.number <= progress.reportedUpTo) return;
  const flow = flowOf(progress);
  if (isAclStage(step.stage)) progress.acl = flow?.rule ?? progress.acl;
  else passAcl(progress);
  for (const action of step.actions) {
    for (const [pattern, handle] of handlers) {
      const found = pattern.exec(action);
      if (found !== null) handle(progress, found.slice(1), step);
    }
    if (progress.outcome !== null) return;
  }
  const port = /^outport = "(.*)";/;
  const chosen = step.actions.map((action) => port.exec(action)?.[1]).find((name) => name !== undefined);
  if (!isRouting(step) || flow === null || chosen === undefined) return;
  // OVN evaluates routing policies after the routes, and a policy replaces the result of the routes.
  if (progress.stations.at(-1)?.do === 'route') progress.stations.pop();
  progress.stations.push({ do: 'route', flow, nextHop: progress.nextHop, port: chosen });
}

/** When the packet leaves the ACL stages, records that the last ACL has allowed the packet. */
function passAcl(progress: Progress): void {
  if (progress.acl === null) return;
  progress.stations.push({ do: 'pass', rule: progress.acl });
  progress.acl = null;
}

/** Returns true for a stage in which a router chooses the next hop by a route or by a policy. */
function isRouting({ stage }: TraceStep): boolean {
  return /^lr_in_(?:ip_routing|policy)/.test(stage);
}

function change(progress: Progress, changed: Partial<Progress['packet']>): void {
  progress.packet = { ...progress.packet, ...changed };
}

function swapMacs(progress: Progress): void {
  const { ethSource, ethDestination } = progress.packet;
  change(progress, { ethSource: ethDestination, ethDestination: ethSource });
}

/** Ends the trace at a router that answers the packet itself. */
function answered(progress: Progress): void {
  progress.outcome = { how: 'answered', router: progress.inPort.datapath.name };
}

/**
 * Records the next hop if the step is in one of the two routing stages. These store the next hop in the first register,
 * which other stages use for other data.
 */
function nextHop(progress: Progress, [address = '']: readonly string[], step: TraceStep): void {
  if (isRouting(step) && /[.:]/.test(address)) progress.nextHop = address;
}

/** Records a load balancer whose router has to change the packet's source, so that the reply passes that router. */
function force(progress: Progress, _found: readonly string[], { flow, match }: TraceStep): void {
  progress.forcedBy = flowOf(progress)?.rule ?? { table: 'Load_Balancer', id: flow, name: '', says: match };
}

/**
 * Chooses the first backend that is not the sender itself. ovn-trace selects any backend and does not report it. If the
 * load balancer has several backends, another run with the chosen backend therefore starts here.
 */
function balance(progress: Progress, [list = '']: readonly string[], step: TraceStep): void {
  const { packet } = progress;
  const backends = list.split(',').filter((backend) => backend !== '');
  const chosen =
    backends.find((backend) => withDestination(packet, backend).destination !== packet.source) ?? backends[0];
  if (chosen === undefined) return;
  translate(
    progress,
    'destination',
    chosen,
    backends.filter((backend) => backend !== chosen),
    flowOf(progress)?.rule ?? null,
  );
  if (backends.length > 1) goOn(progress, [], step);
}

/**
 * Starts another run of ovn-trace at the port by which the packet entered the present switch or router, with the packet
 * as it is now. The next run skips all steps up to this one.
 */
function goOn(progress: Progress, _found: readonly string[], { number }: TraceStep): void {
  const { inPort, packet, chassis, seen, forcedBy } = progress;
  progress.outcome = { inPort, packet, chassis, seen, forcedBy, reportedUpTo: number };
}

function arrive(progress: Progress, [name = '', type = '']: readonly string[]): void {
  if (inner.has(type)) return;
  const { network } = progress.facts;
  const port = network.port(name);
  if (type === 'localnet') {
    const node = progress.chassis?.node ?? null;
    progress.outcome = byDirectRoute(progress, name) ?? { how: 'outside', port: name, node };
  } else if (type === '' && port?.chassis === null) progress.outcome = { how: 'unbound', port: name };
  else progress.outcome = { how: 'delivered', port: name, node: port?.chassis?.node ?? null };
}

/**
 * Returns the start of the next run of ovn-trace at another node, if a packet on the LAN has the MAC of that node's
 * gateway and is for a pod of that node; otherwise null.
 */
function byDirectRoute(progress: Progress, outPort: string): Progress['outcome'] {
  const { facts, chassis, packet, seen, stations } = progress;
  const { network } = facts;
  const to = network.owner(packet.destination)?.chassis ?? null;
  if (chassis === null || to === null || to === chassis) return null;
  const router = network.ports.find((port) => port.mac === packet.ethDestination && port.chassis === to);
  const onLan = network.ports.find((port) => port.type === 'localnet' && network.carrier(port) === to);
  if (router === undefined || onLan === undefined) return null;
  stations.push({ do: 'direct', from: chassis.node, to: to.node, outPort, inPort: onLan.name, packet });
  return { inPort: onLan, packet, chassis: to, seen, forcedBy: null, reportedUpTo: -1 };
}
