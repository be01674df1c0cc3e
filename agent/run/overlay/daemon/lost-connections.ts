import { forgetConnections } from '../../../drivers/openvswitch/forget-connections.ts';
import { integrationBridge } from '../../../overlay/bridges.ts';
import { type DatagramServices, lostConnections, type ServedConnections } from '../../../overlay/datagram-services.ts';

/**
 * When connections are forgotten after their server is gone. ovn-controller does it once (options:ct_flush), together with its flows, but Open vSwitch
 * forwards by those of before until it has looked through them, within half a second, and a client that goes on to send makes the same connection again.
 * The later times are for a machine on which ovn-controller is slow.
 */
const timesMs: readonly number[] = [0, 2_000, 10_000, 30_000];

/** Connections of UDP whose server is gone. */
export interface LostConnections {
  /** Who serves now; those that served when this was called before, and do not now, are forgotten. */
  know(services: DatagramServices): void;
  close(): void;
}

/** `forget` makes the data path forget one kind of connections. */
export function createLostConnections(forget: (lost: ServedConnections) => Promise<unknown>): LostConnections {
  const timers = new Set<NodeJS.Timeout>();
  let before: DatagramServices = new Map();
  const forgetUnserved = async (lost: readonly ServedConnections[]): Promise<void> => {
    // One that serves again by now has connections that mean something.
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

/** Forgets connections on the bridge of the cluster, and by that in every zone. */
export function forgetOnBridge(runDirectory: string): (lost: ServedConnections) => Promise<unknown> {
  return ({ at, server }) => forgetConnections(integrationBridge, at, server, runDirectory);
}

function isServed(services: DatagramServices, { at, server }: ServedConnections): boolean {
  return lostConnections(new Map([[textOf(at), new Set([textOf(server)])]]), services).length === 0;
}

function textOf({ address, port }: ServedConnections['at']): string {
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}
