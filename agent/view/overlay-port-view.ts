import type { OverlayChanges } from '../model/overlay-plan.ts';
import type { OverlayPort, PortState } from '../model/overlay-port.ts';
import { doneText } from './overlay-view.ts';
import { joinLines, type Style } from './style.ts';
import { cellsOnly, tableLines } from './table.ts';

/** Returns the result of `overlay port add`. */
export function portAddedText(state: PortState, changes: OverlayChanges): string {
  const { name, node, namespace } = state.port;
  return joinLines([
    `${doneText(changes)}: the hosts behind ${interfaceWords(state.port)} of ${node} are ${name} in namespace ${namespace}.`,
    ...hostLines(state),
    ...changes.faults.map((fault) => `Left to do: ${fault}`),
  ]);
}

/** Returns the result of `overlay port remove`. */
export function portRemovedText(name: string, changes: OverlayChanges): string {
  return joinLines([
    `${doneText(changes)}: ${name} is not a port of the cluster.`,
    ...changes.faults.map((fault) => `Left to do: ${fault}`),
  ]);
}

/** Returns the ports as a table of at most `width` columns, and the settings of their hosts. */
export function portsText(ports: readonly PortState[], style: Style, width: number | null): string {
  if (ports.length === 0) return 'The cluster has no ports for hosts that are not pods.';
  const rows = ports.map(({ port, isBound }) => [
    port.name,
    port.node,
    interfaceWords(port),
    port.namespace,
    Object.entries(port.labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(' ') || '-',
    isBound ? 'connected' : 'not connected',
  ]);
  return joinLines([
    ...tableLines(['PORT', 'NODE', 'INTERFACE', 'NAMESPACE', 'LABELS', 'STATE'], rows.map(cellsOnly), width, style),
    ...ports.flatMap((state) => [style('bold', `Hosts of ${state.port.name}:`), ...hostLines(state)]),
  ]);
}

/** Returns a line for each host with the settings that its interface needs. */
function hostLines({ hosts, gateways, mtuBytes }: PortState): readonly string[] {
  return hosts.map(
    ({ mac, addresses }) =>
      `  MAC ${mac}, address ${addresses.join(' and ')}, gateway ${gateways.join(' and ')}, MTU ${mtuBytes}`,
  );
}

function interfaceWords({ interface: name, vlan }: OverlayPort): string {
  return vlan === null ? name : `${name} in VLAN ${vlan}`;
}
