import { writeFileAtomically } from '../drivers/host/files.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';

const hintPath = '/var/lib/ovnk/iface_default_hint';
const statusPath = '/run/microshift-net/status.json';

/** Remembers the NIC, so that the next boot takes the same one; written only when it changes. */
export function writeHint(plan: Plan, observation: Observation): void {
  const uplink = plan.choice?.interface ?? null;
  if (uplink !== null && observation.hints.interfaceHint !== uplink) writeFileAtomically(hintPath, `${uplink}\n`);
}

interface LastRun {
  readonly transaction: string;
  readonly state: string;
  readonly at: string;
  readonly uplink: string | null;
}

/** What the last run came to, for monitoring; gone after a reboot. */
export function writeStatus(status: LastRun): void {
  writeFileAtomically(statusPath, `${JSON.stringify(status)}\n`);
}
