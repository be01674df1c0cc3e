import type { DropInFacts } from '../../model/tuning.ts';
import { canonicalCpuList } from '../../net/cpu-set.ts';

/** First line of every drop-in that the agent writes. A file without it belongs to the administrator. */
export const ownMark =
  '# Written by microshift-net from ovn.yaml; changes here are lost. `microshift-net disable` removes it.';

/**
 * Returns the text of an affinity drop-in. `cpus` is the CPU list; null for a text that sets no affinity. The text
 * first clears the affinity of MicroShift's drop-in, which systemd reads earlier.
 */
export function affinityText(cpus: string | null): string {
  return `${ownMark}\n[Service]\nCPUAffinity=\n${cpus === null ? '' : `CPUAffinity=${cpus}\n`}`;
}

/**
 * Returns the CPU list that an affinity drop-in sets; null if it sets none. Assignments add up, and an empty one clears
 * the list (systemd.exec(5)).
 */
export function affinityIn(text: string | null): string | null {
  let list: string | null = null;
  for (const [, value = ''] of (text ?? '').matchAll(/^\s*CPUAffinity\s*=(.*)$/gm)) {
    list = value.trim() === '' ? null : `${list ?? ''} ${value}`;
  }
  return list === null ? null : canonicalCpuList(list);
}

/**
 * File in which a drop-in of the agent collects the options of ovs-ctl. ovs-ctl locks the memory of ovs-vswitchd by
 * default, and takes its options from $OPTIONS (Debian: $OVS_CTL_OPTS), which the administrator sets in a file that is
 * read at every start. The drop-in therefore adds its own option in front of the administrator's options at every
 * start.
 */
const optionsFile = '/run/microshift-net/ovs-options';
const noLockSettings = `[Service]
ExecStartPre=-/bin/rm -f ${optionsFile}
ExecStartPre=-/bin/sh -c 'mkdir -p /run/microshift-net && printf "OPTIONS=--no-mlockall %%s\\nOVS_CTL_OPTS=--no-mlockall %%s\\n" "$$OPTIONS" "$$OVS_CTL_OPTS" > ${optionsFile}'
EnvironmentFile=-${optionsFile}
`;

/** Returns the text of a drop-in that allows ovs-vswitchd to lock its memory, or prevents it. */
export function memoryText(lock: boolean): string {
  return lock ? `${ownMark}\n` : `${ownMark}\n${noLockSettings}`;
}

/** Returns true if a drop-in prevents ovs-vswitchd from locking its memory. */
export function keepsMemoryUnlocked(text: string | null): boolean {
  return text?.includes('--no-mlockall') ?? false;
}

/**
 * Returns true if the administrator's directory (/etc/systemd/system) has this drop-in, and the agent did not write it.
 */
export function isForeign(dropIn: DropInFacts): boolean {
  return dropIn.text !== null && !dropIn.text.startsWith(ownMark);
}

/**
 * Returns the effective text of a drop-in: a file in the administrator's directory (/etc/systemd/system) replaces a
 * packaged one. Null if neither file exists.
 */
export function effectiveText(dropIn: DropInFacts): string | null {
  return dropIn.text ?? dropIn.shipped;
}
