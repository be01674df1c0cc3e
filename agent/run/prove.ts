import { type Deadline, monotonicMs, throwIfStopped } from '../deadline.ts';
import { answersDns, answersPing } from '../drivers/host/reachability.ts';
import { AgentError } from '../errors.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import { waitForAddresses } from './wait-addresses.ts';

/** A host the node could reach before, and how. */
export interface Neighbour {
  readonly what: 'gateway' | 'SSH client' | 'name server';
  readonly address: string;
  /** Interface it must be reachable through after the move. */
  readonly through: string;
  /** How long it may take to answer after the move. */
  readonly withinMs: number;
}

/** Questions asked before the move; `answered` says who had answered by the time it is called. */
export interface Neighbourhood {
  readonly answered: () => readonly Neighbour[];
  /** Resolves once every ping has its answer or none; name servers are not waited for. */
  readonly asked: Promise<void>;
}

/** DHCP and duplicate address detection are over by now; what is left is the kernel's own work. */
const addressLimitMs = 10_000;
/** A ping that ends sooner had no way to go: no link comes up that would change that. */
const noRouteMs = 200;
/** After the move the first packet may wait for an ARP answer and a flow set-up. */
const pingAfterMs = 3_000;

/** Asks gateways, the SSH client that started the run, and name servers whether they answer now. */
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
  // A ping that cannot be started fails the run where it waits for it, which may be later, or never.
  asked.catch(() => undefined);
  return { answered: () => [...answered], asked };
}

/** Proves that addresses moved and that whoever answered before answers now. Fails with `proof-failed`. */
export async function proveMoved(plan: Plan, neighbours: readonly Neighbour[], deadline: Deadline): Promise<void> {
  for (const moved of plan.carried) await waitForAddresses(moved.interface, moved.addresses, deadline, addressLimitMs);
  // Name servers are asked once, by a link that carries again.
  for (const names of [false, true]) {
    const asked = neighbours.filter((neighbour) => (neighbour.what === 'name server') === names);
    await Promise.all(asked.map((neighbour) => proveNeighbour(neighbour, deadline)));
  }
}

/** A ping ends at once when nobody answers for the address on the link: asked again until the link has had its time. */
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
