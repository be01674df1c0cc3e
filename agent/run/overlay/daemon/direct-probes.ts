import { monotonicMs } from '../../../deadline.ts';
import { openProbeSocket, type ProbeSocket } from '../../../drivers/host/kernel/probe-socket.ts';
import type { DirectNode } from '../../../model/direct-node.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { isIpv6, withoutLength } from '../../../overlay/addresses.ts';
import { probePorts } from '../../../overlay/direct/direct-flows.ts';
import { directNodesOf, heardWord } from '../../../overlay/direct/direct-nodes.ts';
import { createHearing, silenceMs } from '../../../overlay/direct/hearing.ts';
import { fullMtu } from '../node/membership.ts';
import { rememberedDirect } from '../node/stored-inbound.ts';
import type { HeardNodes, OverlayPlaces } from '../record/places.ts';

/** Time between two probes to the same node. */
const probeMs = 1_000;
/**
 * Time after this daemon's first probe during which the nodes that this node announces in Open vSwitch count as nodes
 * whose probes arrive. The direct routes therefore stay when the daemon is restarted. In this time, enough probes of a
 * node arrive to show that the direct route from that node works.
 */
const firstMs = silenceMs + 2 * probeMs;

/** Probes of the direct routes between this node and the other nodes on its network segment. */
export interface DirectProbes {
  /**
   * Probes the other nodes on the network segment, as they were last read from the southbound database. Ends the probes
   * if no other node is there.
   */
  know(record: OverlayRecord): void;
  /**
   * Returns the nodes whose probes arrive; `isComplete` is false as long as probes of further nodes may still arrive
   * for the first time. Returns null if it is not known yet which nodes are on the network segment.
   */
  heard(): HeardNodes | null;
  close(): void;
}

/** Creates the probes. Calls `onChange` when the set of nodes whose probes arrive, or `isComplete`, changes. */
export function createDirectProbes(places: Pick<OverlayPlaces, 'services'>, onChange: () => void): DirectProbes {
  const hearing = createHearing();
  const sockets = new Map<string, ProbeSocket>();
  let own: readonly string[] = [];
  let neighbours: readonly DirectNode[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isKnown = false;
  let packetBytes = 0;
  let beganMs = 0;
  let last = '';
  const arrived = (address: string): void => {
    const from = neighbours.find((one) => withoutLength(one.address) === address);
    if (from !== undefined) hearing.arrived(heardWord(from), monotonicMs());
  };
  const heard = (): HeardNodes | null => {
    if (!isKnown) return null;
    const now = monotonicMs();
    const words = neighbours.map(heardWord);
    const names = hearing.heard(now).filter((word) => words.includes(word));
    return { names, isComplete: neighbours.length === 0 || now - beganMs >= firstMs };
  };
  const open = (address: string): ProbeSocket => {
    const socket = openProbeSocket({ address, port: probePorts.from }, probePorts.to, arrived, () =>
      sockets.delete(address),
    );
    sockets.set(address, socket);
    return socket;
  };
  const probe = (): void => {
    for (const address of own) {
      const socket = sockets.get(address) ?? open(address);
      for (const other of neighbours.map((one) => withoutLength(one.address)))
        if (isIpv6(other) === isIpv6(address)) socket.send(other, packetBytes);
    }
    const now = JSON.stringify(heard());
    if (now !== last) onChange();
    last = now;
  };
  const close = (): void => {
    clearInterval(timer);
    timer = undefined;
    for (const socket of sockets.values()) socket.close();
    sockets.clear();
  };
  return {
    know: ({ layout, node }) => {
      const addresses = directNodesOf(node).map(({ address }) => withoutLength(address));
      if (addresses.join() !== own.join()) close();
      own = addresses;
      // A probe of the largest size also shows that the segment carries such packets.
      packetBytes = fullMtu(layout, node);
      isKnown = true;
      neighbours = own.length === 0 ? [] : rememberedDirect(places);
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
