import { monotonicMs } from '../../../deadline.ts';
import { openProbeSocket, type ProbeSocket } from '../../../drivers/host/kernel/probe-socket.ts';
import type { DirectNode } from '../../../model/direct-node.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { withoutLength } from '../../../overlay/addresses.ts';
import { probePorts } from '../../../overlay/direct/direct-flows.ts';
import { directNodeOf } from '../../../overlay/direct/direct-nodes.ts';
import { createHearing, silenceMs } from '../../../overlay/direct/hearing.ts';
import { rememberedDirect } from '../node/inbound-flows.ts';
import type { HeardNodes, OverlayPlaces } from '../record/places.ts';

/** Time between two probes to the same node. */
const probeMs = 1_000;
/**
 * Time after the first probe during which the announced neighbours count as heard. The direct routes therefore stay
 * when the daemon is restarted. The time is longer than that in which enough probes arrive for a node to be heard.
 */
const firstMs = silenceMs + 2 * probeMs;

/**
 * Probes of the direct routes between this node and its neighbours, which are the other nodes on its network segment.
 */
export interface DirectProbes {
  /** Probes the neighbours of this node as they were last read; ends the probes if this node has no neighbours. */
  know(record: OverlayRecord): void;
  /**
   * Returns the neighbours whose probes arrive; `isComplete` is false as long as probes of further neighbours may still
   * arrive for the first time. Returns null if the neighbours are not known yet.
   */
  heard(): HeardNodes | null;
  close(): void;
}

/** Creates the probes. Calls `onChange` when the names of the heard neighbours change. */
export function createDirectProbes(places: Pick<OverlayPlaces, 'services'>, onChange: () => void): DirectProbes {
  const hearing = createHearing();
  let own: string | null = null;
  let neighbours: readonly DirectNode[] = [];
  let socket: ProbeSocket | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isKnown = false;
  let beganMs = 0;
  let last = '';
  const arrived = (address: string): void => {
    const from = neighbours.find((one) => withoutLength(one.address) === address);
    if (from !== undefined) hearing.arrived(from.name, monotonicMs());
  };
  const heard = (): HeardNodes | null => {
    if (!isKnown) return null;
    const now = monotonicMs();
    const names = hearing.heard(now).filter((name) => neighbours.some((one) => one.name === name));
    return { names, isComplete: neighbours.length === 0 || now - beganMs >= firstMs };
  };
  const probe = (): void => {
    if (own !== null)
      socket ??= openProbeSocket({ address: own, port: probePorts.from }, probePorts.to, arrived, () => {
        socket = null;
      });
    for (const { address } of neighbours) socket?.send(withoutLength(address));
    const now = JSON.stringify(heard());
    if (now !== last) onChange();
    last = now;
  };
  const close = (): void => {
    clearInterval(timer);
    timer = undefined;
    socket?.close();
    socket = null;
  };
  return {
    know: ({ node }) => {
      const address = withoutLength(directNodeOf(node)?.address ?? '') || null;
      if (address !== own) close();
      own = address;
      isKnown = true;
      neighbours = own === null ? [] : rememberedDirect(places);
      if (neighbours.length === 0) return close();
      if (timer !== undefined) return;
      beganMs = monotonicMs();
      timer = setInterval(probe, probeMs);
      probe();
    },
    heard,
    close,
  };
}
