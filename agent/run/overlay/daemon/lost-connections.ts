import { forgetConnections } from '../../../drivers/openvswitch/forget-connections.ts';
import { integrationBridge } from '../../../overlay/local/bridge-rows.ts';
import {
  type DatagramServices,
  lostConnections,
  type ServedConnections,
} from '../../../overlay/services/datagram-services.ts';

/**
 * Times after the loss of a server at which its connections are forgotten. ovn-controller does it once
 * (options:ct_flush), together with its flows, but Open vSwitch forwards by the earlier flows until it has revalidated
 * them, within half a second, and a client that continues to send makes the same connection again. The later times are
 * for a machine on which ovn-controller is slow.
 */
const timesMs: readonly number[] = [0, 2_000, 10_000, 30_000];

/** UDP connections whose server is gone. */
export interface LostConnections {
  /**
   * Takes the present servers, and forgets the connections of servers that served at the previous call and no longer
   * serve.
   */
  know(services: DatagramServices): void;
  close(): void;
}

/** Creates the record of servers. `forget` makes the data path forget the connections with one server of a place. */
export function createLostConnections(forget: (lost: ServedConnections) => Promise<unknown>): LostConnections {
  const timers = new Set<NodeJS.Timeout>();
  let before: DatagramServices = new Map();
  const forgetUnserved = async (lost: readonly ServedConnections[]): Promise<void> => {
    // The connections of a server that serves again by now are valid.
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

/** Returns a function that forgets connections on the bridge of the cluster, and thereby in every zone. */
export function forgetOnBridge(runDirectory: string): (lost: ServedConnections) => Promise<unknown> {
  return ({ at, server }) => forgetConnections(integrationBridge, at, server, runDirectory);
}

function isServed(services: DatagramServices, { at, server }: ServedConnections): boolean {
  return lostConnections(new Map([[textOf(at), new Set([textOf(server)])]]), services).length === 0;
}

function textOf({ address, port }: ServedConnections['at']): string {
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}
