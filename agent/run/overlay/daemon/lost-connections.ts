import { forgetConnections } from '../../../drivers/openvswitch/forget-connections.ts';
import { awaitRevalidation } from '../../../drivers/openvswitch/revalidation.ts';
import { isAgentError } from '../../../errors.ts';
import { integrationBridge } from '../../../overlay/local/bridge-rows.ts';
import type { ServedConnections } from '../../../overlay/services/datagram-services.ts';

/**
 * Times after the loss of a server at which the daemon removes the connections to that server. ovn-controller removes
 * connections only once, together with the flows (options:ct_flush). Open vSwitch forwards by the old flows until it
 * has revalidated them, so a client that continues to send creates the connection again. The daemon also removes
 * connections when ovn-controller reports that the flows are removed. Because of the fixed times, the first removal is
 * quick, and connections are also removed if ovn-controller does not report anything.
 */
const timesMs: readonly number[] = [0, 2_000, 10_000, 30_000];

/** Remover of UDP connections whose server no longer serves. */
export interface LostConnections {
  /**
   * Removes the connections of servers that have stopped serving. `due` is the value of nb_cfg with which this node's
   * ovn-controller reports that its flows no longer lead to these servers; null if ovn-controller reports no values.
   */
  lose(lost: readonly ServedConnections[], due: number | null): void;
  /**
   * Handles a report of this node's ovn-controller, which has installed the flows of the given value of nb_cfg
   * (ovn-sb(5), Chassis_Private).
   */
  reported(number: number): void;
  close(): void;
}

/** Functions that look up servers, remove connections, and wait for the data path. */
export interface ConnectionTools {
  /** Returns true if the server serves now. The connections of such a server are kept, because they are valid. */
  isServing(lost: ServedConnections): boolean;
  /** Removes from the data path the connections to one server at one address of a service. */
  forget(lost: ServedConnections): Promise<unknown>;
  /** Waits until the data path forwards by the present flows. */
  awaitRevalidation(): Promise<unknown>;
}

/**
 * Servers that one transaction of the southbound database removed from their services, and the timers that remove their
 * connections.
 */
interface Loss {
  readonly lost: readonly ServedConnections[];
  readonly due: number | null;
  readonly timers: readonly NodeJS.Timeout[];
}

/** Creates a remover of connections. Only one removal runs at a time. */
export function createLostConnections(tools: ConnectionTools): LostConnections {
  const losses = new Set<Loss>();
  let isClosed = false;
  let current: Promise<void> = Promise.resolve();
  const remove = (lost: readonly ServedConnections[], isAfterRevalidation: boolean): void => {
    current = current.then(async () => {
      try {
        if (isAfterRevalidation && !isClosed) await tools.awaitRevalidation();
        for (const one of lost) if (!isClosed && !tools.isServing(one)) await tools.forget(one);
      } catch (error) {
        // The removal has failed, for example because a program of Open vSwitch is missing. The next removal tries
        // again.
        if (!isAgentError(error)) throw error;
      }
    });
  };
  return {
    lose: (lost, due) => {
      if (lost.length === 0) return;
      const timers = timesMs.map((afterMs, index) =>
        setTimeout(() => {
          remove(lost, false);
          if (due === null && index === timesMs.length - 1) losses.delete(loss);
        }, afterMs),
      );
      const loss: Loss = { lost, due, timers };
      losses.add(loss);
    },
    reported: (number) => {
      const done = [...losses].filter(({ due }) => due !== null && due <= number);
      if (done.length === 0) return;
      for (const loss of done) {
        losses.delete(loss);
        for (const timer of loss.timers) clearTimeout(timer);
      }
      remove(
        done.flatMap(({ lost }) => lost),
        true,
      );
    },
    close: () => {
      isClosed = true;
      for (const { timers } of losses) for (const timer of timers) clearTimeout(timer);
    },
  };
}

/**
 * Returns the functions that remove tracked connections from the data path of br-int, in every connection tracking
 * zone, and that wait until this data path forwards by the present flows.
 */
export function onBridge(runDirectory: string): Pick<ConnectionTools, 'forget' | 'awaitRevalidation'> {
  return {
    forget: ({ at, server }) => forgetConnections(integrationBridge, at, server, runDirectory),
    awaitRevalidation: () => awaitRevalidation(runDirectory),
  };
}
