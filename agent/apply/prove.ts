import type { Deadline } from '../deadline.ts';
import { answersDns, answersPing } from '../drivers/host/reachability.ts';
import { AgentError } from '../errors.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import { waitForAddresses } from './execute.ts';

/** A host the node could reach before, and how. */
export interface Neighbour {
  readonly what: 'gateway' | 'SSH client' | 'name server';
  readonly address: string;
  /** Interface it must be reachable through after the move. */
  readonly through: string;
}

/** Questions asked before the move; `answered` says who had answered by the time it is called. */
export interface Neighbourhood {
  readonly answered: () => readonly Neighbour[];
  /** Resolves once every ping has its answer or none; name servers are not waited for. */
  readonly asked: Promise<void>;
}

/** DHCP and duplicate address detection are over by now; what is left is the kernel's own work. */
const addressLimitMs = 10_000;
/** After the move the first packet may wait for an ARP answer and a flow set-up. */
const pingAfterMs = 3_000;

/** Asks gateways, the SSH client that started the run, and name servers whether they answer now. */
export function askNeighbours(plan: Plan, observation: Observation): Neighbourhood {
  const answered: Neighbour[] = [];
  const pings: Promise<void>[] = [];
  const note = (neighbour: Neighbour) => (answers: boolean) => {
    if (answers) answered.push(neighbour);
  };
  for (const carried of plan.carried) {
    const ping = (what: Neighbour['what'], address: string): void => {
      pings.push(answersPing(address, carried.from).then(note({ what, address, through: carried.interface })));
    };
    for (const gateway of carried.defaultGateways) ping('gateway', gateway);
    const peer = observation.host.sshPeer;
    if (peer !== null && carried === plan.carried[0] && !carried.defaultGateways.includes(peer))
      ping('SSH client', peer);
  }
  const [first] = plan.carried;
  if (first !== undefined) {
    for (const address of observation.resolver.nameservers) {
      void answersDns(address).then(note({ what: 'name server', address, through: first.interface }), () => undefined);
    }
  }
  return { answered: () => [...answered], asked: Promise.all(pings).then(() => undefined) };
}

/** Proves that addresses moved and that whoever answered before answers now. Fails with `proof-failed`. */
export async function proveMoved(plan: Plan, neighbours: readonly Neighbour[], deadline: Deadline): Promise<void> {
  for (const carried of plan.carried)
    await waitForAddresses(carried.interface, carried.addresses, deadline, addressLimitMs);
  await Promise.all(neighbours.map((neighbour) => proveNeighbour(neighbour)));
}

async function proveNeighbour(neighbour: Neighbour): Promise<void> {
  const { what, address, through } = neighbour;
  const answers = what === 'name server' ? await answersDns(address) : await answersPing(address, through, pingAfterMs);
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
