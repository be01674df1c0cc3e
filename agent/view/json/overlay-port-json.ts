import type { OverlayChanges } from '../../model/overlay-plan.ts';
import type { PortState } from '../../model/overlay-port.ts';
import { appliedOutcome, type OverlayChangesJson, overlayChangesJson } from './overlay-json.ts';

/** `overlay port add`: the port that the cluster now has. */
export interface OverlayPortAddDocument {
  readonly command: 'overlay port add';
  readonly outcome: 'changed' | 'unchanged';
  readonly port: PortJson;
  readonly changes: OverlayChangesJson;
}

/** `overlay port remove`: the port that the cluster no longer has. */
export interface OverlayPortRemoveDocument {
  readonly command: 'overlay port remove';
  readonly outcome: 'changed' | 'unchanged';
  /** Name of the port. */
  readonly port: string;
  readonly changes: OverlayChangesJson;
}

/** `overlay port list`: the ports of the cluster for hosts that are not pods. */
export interface OverlayPortListDocument {
  readonly command: 'overlay port list';
  readonly outcome: 'shown';
  readonly ports: readonly ListedPortJson[];
}

/** A port for hosts that are not pods. */
export interface PortJson {
  readonly name: string;
  readonly node: string;
  /** Interface of the node that leads to the hosts. */
  readonly interface: string;
  /** VLAN of the hosts' packets on the interface; null if the packets are untagged. */
  readonly vlan: number | null;
  readonly namespace: string;
  /** Labels by which network policies select the hosts. */
  readonly labels: Readonly<Record<string, string>>;
  readonly hosts: readonly PortHostJson[];
  /** Next hops of the hosts' default routes, at most one of each family. */
  readonly gateways: readonly string[];
  /** MTU that the interfaces of the hosts need. */
  readonly mtuBytes: number;
}

/** A host behind a port. */
export interface PortHostJson {
  readonly mac: string;
  /** Addresses of the host with their prefix length. */
  readonly addresses: readonly string[];
}

/** A port that `overlay port list` lists. */
export interface ListedPortJson extends PortJson {
  /** True if OVN has bound the port to its interface. */
  readonly isConnected: boolean;
}

function portJson({ port, hosts, gateways, mtuBytes }: PortState): PortJson {
  const { name, node, interface: device, vlan, namespace, labels } = port;
  return { name, node, interface: device, vlan, namespace, labels, hosts, gateways, mtuBytes };
}

/** Returns the document of `overlay port add`. */
export function portAddDocument(state: PortState, changes: OverlayChanges): OverlayPortAddDocument {
  return {
    command: 'overlay port add',
    outcome: appliedOutcome(changes),
    port: portJson(state),
    changes: overlayChangesJson(changes),
  };
}

/** Returns the document of `overlay port remove`. */
export function portRemoveDocument(port: string, changes: OverlayChanges): OverlayPortRemoveDocument {
  return {
    command: 'overlay port remove',
    outcome: appliedOutcome(changes),
    port,
    changes: overlayChangesJson(changes),
  };
}

/** Returns the document of `overlay port list`. */
export function portListDocument(ports: readonly PortState[]): OverlayPortListDocument {
  return {
    command: 'overlay port list',
    outcome: 'shown',
    ports: ports.map((state) => ({ ...portJson(state), isConnected: state.isBound })),
  };
}
