import type { DropInFacts } from '../../model/tuning.ts';
import { canonicalCpuList } from '../../net/cpu-set.ts';

/** First line of every drop-in the agent writes; a file without it is the admin's. */
export const ownMark =
  '# Written by microshift-net from ovn.yaml; changes here are lost. `microshift-net disable` removes it.';

/** The text of an affinity drop-in, which starts anew after what MicroShift's, read before it, says; null: no affinity. */
export function affinityText(cpus: string | null): string {
  return `${ownMark}\n[Service]\nCPUAffinity=\n${cpus === null ? '' : `CPUAffinity=${cpus}\n`}`;
}

/** The CPU list an affinity drop-in sets; null: it sets none. Assignments add up, an empty one starts again (systemd.exec(5)). */
export function affinityIn(text: string | null): string | null {
  let list: string | null = null;
  for (const [, value = ''] of (text ?? '').matchAll(/^\s*CPUAffinity\s*=(.*)$/gm)) {
    list = value.trim() === '' ? null : `${list ?? ''} ${value}`;
  }
  return list === null ? null : canonicalCpuList(list);
}

/**
 * ovs-ctl locks the memory of ovs-vswitchd unless it is told not to, and takes its options from $OPTIONS (Debian: $OVS_CTL_OPTS), which
 * the admin sets in a file that is read at every start. So the drop-in puts its option before theirs, at every start anew.
 */
const optionsFile = '/run/microshift-net/ovs-options';
const noLockSettings = `[Service]
ExecStartPre=-/bin/rm -f ${optionsFile}
ExecStartPre=-/bin/sh -c 'mkdir -p /run/microshift-net && printf "OPTIONS=--no-mlockall %%s\\nOVS_CTL_OPTS=--no-mlockall %%s\\n" "$$OPTIONS" "$$OVS_CTL_OPTS" > ${optionsFile}'
EnvironmentFile=-${optionsFile}
`;

/** The text of a drop-in that lets ovs-vswitchd lock its memory, or not. */
export function memoryText(lock: boolean): string {
  return lock ? `${ownMark}\n` : `${ownMark}\n${noLockSettings}`;
}

/** Whether a drop-in keeps ovs-vswitchd from locking its memory. */
export function keepsMemoryUnlocked(text: string | null): boolean {
  return text?.includes('--no-mlockall') ?? false;
}

/** Whether the file in the admin's place is the admin's own. */
export function isForeign(dropIn: DropInFacts): boolean {
  return dropIn.text !== null && !dropIn.text.startsWith(ownMark);
}

/** The text that counts: what is in the admin's place hides what a package ships. */
export function effectiveText(dropIn: DropInFacts): string | null {
  return dropIn.text ?? dropIn.shipped;
}
