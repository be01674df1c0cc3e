import { existsSync } from 'node:fs';
import { fileText } from '../files/kernel-files.ts';
import { run } from '../process/exec.ts';

/** Time limit of one ovs-dpctl(8) command, which sends a request to the kernel. */
const deleteLimitMs = 5_000;
const kernelDatapath = 'ovs-system';

/**
 * Removes NICs and internal interfaces from Open vSwitch's kernel data path, without ovs-vswitchd. If ovs-vswitchd
 * hangs, the node receives nothing through a NIC in the data path, even if the NIC has addresses. Interfaces outside of
 * the data path are ignored. When ovs-vswitchd runs again, it adds the interfaces again.
 */
export async function freeFromDatapath(interfaces: readonly string[]): Promise<void> {
  for (const name of interfaces) {
    if (existsSync(`/sys/class/net/${name}`)) await run('ovs-dpctl', ['del-if', kernelDatapath, name], deleteLimitMs);
  }
}

/**
 * Returns the state of the kernel module openvswitch (modules.dep(5)). A module that is compiled into the kernel counts
 * as loaded; it is in /sys/module or in modules.builtin. The result is `unknown` if the list of modules cannot be read,
 * as in the sandbox of the units (ProtectKernelModules=, systemd.exec(5)).
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
