import { hasWorkingPort } from '../compare/working-ports.ts';
import type { Deadline } from '../deadline.ts';
import { waitForKernel } from '../drivers/host/kernel/kernel-events.ts';
import { readLinks } from '../drivers/host/kernel/links.ts';
import { AgentError } from '../errors.ts';
import { type BondLink, bondsUnder, miimonRemedy } from '../model/bonds.ts';
import { linkKindOf } from '../model/link-kinds.ts';
import type { Link, Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import { shellWord } from '../printable.ts';

/**
 * Number of intervals that the ARP monitor of a bond needs in addition to `arp_missed_max` until it marks a port as
 * failed: one to send a request, and one to check the replies (bond_main.c, bond_ab_arp_inspect).
 */
const spareIntervals = 2;
/**
 * Time limit for the carrier of a port after the start of its profile. The time that the plan allows for LACP
 * (`settlesMs`) is added to this limit.
 */
const carrierMs = 3_000;

/**
 * Proves that each bond or team that the run has put into a bridge has a working port, if it had one before. Also
 * proves that the ARP monitor of a bond marks no port as failed, and waits as long as the monitor needs to mark one.
 * Fails with `proof-failed`.
 */
export async function provePorts(plan: Plan, before: Observation, deadline: Deadline): Promise<void> {
  const settlesMs = Math.max(0, ...plan.carried.map((moved) => moved.settlesMs ?? 0));
  const uplinks = plan.steps.flatMap((step) => (step.do === 'attachUplink' ? [step.interface] : []));
  for (const uplink of new Set(uplinks)) {
    const bonds = bondsUnder(uplink, before.links);
    const teams = before.links.filter((link) => link.name === uplink && linkKindOf(link, before) === 'team');
    const working = [...bonds.filter(hasWorkingPort), ...teams.filter(({ carrier }) => carrier)];
    for (const link of working) await proveWorking(link, settlesMs + carrierMs, deadline);
    for (const bond of bonds) await proveMonitor(bond, before, deadline);
  }
}

async function proveWorking({ name, bond }: Link, limitMs: number, deadline: Deadline): Promise<void> {
  const works = (): boolean => {
    const now = linkNow(name);
    return bond === undefined ? now?.carrier === true : hasWorkingPort({ ...now });
  };
  const noPort = (): AgentError =>
    new AgentError('proof-failed', `${name} had a working port before the change and has none now`, {
      hint: `look at its cables and switch ports: ip -d link show master ${name}`,
      facts: { interface: name },
    });
  await waitForKernel(works, deadline, limitMs, noPort);
}

/**
 * Waits for the ARP monitor to mark a port as failed, and then fails with `proof-failed`; ends without an error at the
 * time limit. The driver announces a failed port by rtnetlink.
 */
async function proveMonitor({ name, bond }: BondLink, before: Observation, deadline: Deadline): Promise<void> {
  const { arpMonitor, ports } = bond;
  if (arpMonitor === null) return;
  const failed = (): string | null => {
    const now = linkNow(name)?.bond?.ports ?? [];
    const more = now.find(
      ({ name: port, failures }) => failures > (ports.find((one) => one.name === port)?.failures ?? 0),
    );
    return more?.name ?? null;
  };
  const silence = new AgentError('activation-timeout', 'no port has failed');
  const watchMs = arpMonitor.intervalMs * (arpMonitor.missedMax + spareIntervals);
  try {
    await waitForKernel(
      () => failed() !== null,
      deadline,
      watchMs,
      () => silence,
    );
  } catch (error) {
    if (error === silence) return;
    throw error;
  }
  const targets = arpMonitor.targets.join(', ');
  throw new AgentError(
    'proof-failed',
    `the ARP monitor of ${name} gets no answer of ${targets} under the bridge, and has taken ${failed()} for failed`,
    { hint: miimonRemedy(name, before, shellWord), facts: { interface: name, targets: arpMonitor.targets } },
  );
}

function linkNow(name: string): Link | undefined {
  return readLinks().find((link) => link.name === name);
}
