import { existsSync } from 'node:fs';
import { run } from './exec.ts';
import { fileText } from './kernel-files.ts';

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

/**
 * Whether the kernel has the module of Open vSwitch's kernel data path (modules.dep(5)). A module that is built in is loaded: it is in /sys/module or in
 * modules.builtin. `unknown`: the list of modules cannot be read, as in the units' sandbox (ProtectKernelModules=, systemd.exec(5)).
 */
export function openvswitchModule(root = ''): 'loaded' | 'available' | 'missing' | 'unknown' {
  if (existsSync(`${root}/sys/module/openvswitch`)) return 'loaded';
  const modules = `${root}/lib/modules/${fileText(`${root}/proc/sys/kernel/osrelease`)}`;
  const [builtin, available] = ['modules.builtin', 'modules.dep'].map((file) => fileText(`${modules}/${file}`));
  const isIn = (text: string | null | undefined): boolean => /\/openvswitch\.ko/.test(text ?? '');
  if (isIn(builtin)) return 'loaded';
  if (isIn(available)) return 'available';
  return available === null ? 'unknown' : 'missing';
}
