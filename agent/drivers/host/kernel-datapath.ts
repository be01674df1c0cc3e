import { existsSync } from 'node:fs';
import { run } from './exec.ts';

/** One request to the kernel. */
const deleteLimitMs = 5_000;
const kernelDatapath = 'ovs-system';

/**
 * Takes NICs and bridges' own devices out of Open vSwitch's kernel data path without ovs-vswitchd, which does that when it lives: a NIC
 * that a hung daemon holds hears nothing, whatever addresses it gets. Those that are in none are fine. Once the daemon is back it does
 * what the database says.
 */
export async function freeFromDatapath(interfaces: readonly string[]): Promise<void> {
  for (const name of interfaces) {
    if (existsSync(`/sys/class/net/${name}`)) await run('ovs-dpctl', ['del-if', kernelDatapath, name], deleteLimitMs);
  }
}
