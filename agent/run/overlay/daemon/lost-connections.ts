import { forgetConnections } from '../../../drivers/openvswitch/forget-connections.ts';
import { integrationBridge } from '../../../overlay/local/bridge-rows.ts';
import {
  type DatagramServices,
  lostConnections,
  type ServedConnections,
} from '../../../overlay/services/datagram-services.ts';

/**
 * Times after the loss of a server at which connections to it are removed. ovn-controller removes them once
 * (options:ct_flush), when it removes its flows. For up to half a second, until its revalidation, Open vSwitch still
 * forwards by the old flows, and a client that continues to send creates the connection again. The later times are for
 * a machine on which ovn-controller is slow.
 */
const timesMs: readonly number[] = [0, 2_000, 10_000, 30_000];

/** Removal of UDP connections whose server no longer serves. */
export interface LostConnections {
  /**
   * Sets the present servers. Removes the connections of servers that served at the previous call and no longer serve.
   */
  know(services: DatagramServices): void;
  close(): void;
}

/**
 * Starts without servers. `forget` has to remove the connections of one server and service address from the data path.
 */
export function createLostConnections(forget: (lost: ServedConnections) => Promise<unknown>): LostConnections {
  const timers = new Set<NodeJS.Timeout>();
  let before: DatagramServices = new Map();
  const forgetUnserved = async (lost: readonly ServedConnections[]): Promise<void> => {
    // The connections are kept if the server serves again, because they are valid then.
    for (const one of lost) if (!isServed(before, one)) await forget(one);
  };
  return {
    know: (services) => {
      const lost = lostConnections(before, services);
      before = services;
      if (lost.length === 0) return;
      for (const afterMs of timesMs) {
        const timer = setTimeout(() => {
          timers.delete(timer);
          void forgetUnserved(lost);
        }, afterMs);
        timers.add(timer);
      }
    },
    close: () => {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/**
 * Returns a function that removes connections on br-int; Open vSwitch removes them from every connection tracking zone.
 */
export function forgetOnBridge(runDirectory: string): (lost: ServedConnections) => Promise<unknown> {
  return ({ at, server }) => forgetConnections(integrationBridge, at, server, runDirectory);
}

function isServed(services: DatagramServices, { at, server }: ServedConnections): boolean {
  return lostConnections(new Map([[textOf(at), new Set([textOf(server)])]]), services).length === 0;
}

function textOf({ address, port }: ServedConnections['at']): string {
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}
