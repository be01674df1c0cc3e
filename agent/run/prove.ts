import { lostDefaultRoute } from '../compare/default-routes.ts';
import { type Deadline, monotonicMs, throwIfStopped } from '../deadline.ts';
import { waitForKernel } from '../drivers/host/kernel/kernel-events.ts';
import { answersDns, answersPing } from '../drivers/host/kernel/reachability.ts';
import { readRoutes } from '../drivers/host/kernel/routes.ts';
import { AgentError } from '../errors.ts';
import type { Observation } from '../model/observation.ts';
import type { MovedAddresses, Plan } from '../model/plan.ts';
import { waitForAddresses } from './steps/wait-addresses.ts';

/** Host that answered before the uplink moved into the bridge. */
export interface Neighbour {
  readonly what: 'gateway' | 'SSH client' | 'name server';
  readonly address: string;
  /** Interface through which this host has to answer after the move. */
  readonly through: string;
  /** Time limit, in ms, for an answer of this host after the move. */
  readonly withinMs: number;
}

/** Pings and DNS queries that were sent before the move; `answered` returns the hosts that have answered so far. */
export interface Neighbourhood {
  readonly answered: () => readonly Neighbour[];
  /** Settles when every ping has been answered or has timed out; queries to name servers may be unanswered by then. */
  readonly asked: Promise<void>;
}

/**
 * Time limit for the moved addresses to be usable on the bridges. DHCP and duplicate address detection have ended by
 * then, and only the kernel has to finish its work.
 */
const addressLimitMs = 10_000;
/**
 * Time limit for a default route. A router that advertises itself answers a solicitation within half a second
 * (MAX_RA_DELAY_TIME), and NetworkManager repeats a solicitation that was lost after 4 s (RFC 4861, section 10).
 */
const defaultRouteLimitMs = 10_000;
/**
 * Shortest time of a ping whose request was sent. A ping that ends earlier had no route to the host, so waiting for the
 * link does not help.
 */
const noRouteMs = 200;
/** Time limit of a ping after the move. The first packet may be delayed until ARP and a flow of the bridge exist. */
const pingAfterMs = 3_000;

/**
 * Pings the gateways and the SSH client that started the run, and sends a DNS query to each name server, before the
 * uplink moves. Those that answer have to answer again after the move.
 */
export function askNeighbours(plan: Plan, observation: Observation): Neighbourhood {
  const answered: Neighbour[] = [];
  const pings: Promise<void>[] = [];
  const note = (neighbour: Neighbour) => (answers: boolean) => {
    if (answers) answered.push(neighbour);
  };
  for (const moved of plan.carried) {
    const withinMs = pingAfterMs + (moved.settlesMs ?? 0);
    const ping = (what: Neighbour['what'], address: string): void => {
      pings.push(answersPing(address, moved.from).then(note({ what, address, through: moved.interface, withinMs })));
    };
    for (const gateway of moved.defaultGateways) ping('gateway', gateway);
    const peer = observation.host.sshPeer;
    if (peer !== null && moved === plan.carried[0] && !moved.defaultGateways.includes(peer)) ping('SSH client', peer);
  }
  const [first] = plan.carried;
  if (first !== undefined) {
    for (const address of observation.resolver.nameservers) {
      void answersDns(address).then(
        note({ what: 'name server', address, through: first.interface, withinMs: pingAfterMs }),
        () => undefined,
      );
    }
  }
  const asked = Promise.all(pings).then(() => undefined);
  // If a ping cannot be started, the run fails later, when it awaits this promise. The empty handler keeps Node.js from
  // ending the process before that because of an unhandled rejection.
  asked.catch(() => undefined);
  return { answered: () => [...answered], asked };
}

/**
 * Proves that the addresses have moved to the bridges, that no address family has lost its default route, and that
 * every host which answered before the move answers again. Fails with `proof-failed`.
 */
export async function proveMoved(plan: Plan, neighbours: readonly Neighbour[], deadline: Deadline): Promise<void> {
  for (const moved of plan.carried) await waitForAddresses(moved.interface, moved.addresses, deadline, addressLimitMs);
  for (const moved of plan.carried) await proveDefaultRoutes(moved, deadline);
  // Name servers are queried last, and only once, because the answers of the other hosts show that the link forwards
  // packets.
  for (const names of [false, true]) {
    const asked = neighbours.filter((neighbour) => (neighbour.what === 'name server') === names);
    await Promise.all(asked.map((neighbour) => proveNeighbour(neighbour, deadline)));
  }
}

/** Waits until each address family that had a default route before the move has one again. */
async function proveDefaultRoutes(moved: MovedAddresses, deadline: Deadline): Promise<void> {
  const lost = (): 'IPv4' | 'IPv6' | null => lostDefaultRoute(moved, readRoutes());
  const timeout = (): AgentError =>
    new AgentError('proof-failed', `${moved.interface} has no ${lost()} default route; ${moved.from} had one`, {
      hint: 'look at `ip route`, `ip -6 route` and journalctl -u NetworkManager',
    });
  await waitForKernel(() => lost() === null, deadline, defaultRouteLimitMs, timeout);
}

/**
 * Pings a host until it answers, its time limit is over, or a ping shows that no route leads to it. One ping is not
 * enough: it ends early if no host answers ARP or neighbour solicitations, as on a link that does not forward yet.
 */
async function answersAgain({ address, through, withinMs }: Neighbour, deadline: Deadline): Promise<boolean> {
  const end = monotonicMs() + Math.min(withinMs, Math.max(pingAfterMs, deadline.remainingMs()));
  for (;;) {
    const asked = monotonicMs();
    if (await answersPing(address, through, Math.max(pingAfterMs, end - asked), deadline.signal)) return true;
    const now = monotonicMs();
    if (deadline.signal.aborted || now >= end || now - asked < noRouteMs) return false;
  }
}

async function proveNeighbour(neighbour: Neighbour, deadline: Deadline): Promise<void> {
  const { what, address, through } = neighbour;
  const answers = what === 'name server' ? await answersDns(address) : await answersAgain(neighbour, deadline);
  throwIfStopped(deadline);
  if (answers) return;
  throw new AgentError(
    'proof-failed',
    `the ${what} ${address} answered before the change and does not answer through ${through} now`,
    {
      hint: 'check the switch port (port security, MAC limits) and the VLAN of the NIC',
      facts: { neighbour: address, through },
    },
  );
}
