import { textOf } from '../drivers/host/kernel-files.ts';
import type { SystemFacts } from '../model/examination.ts';
import { agentVersion } from '../version.ts';

/** What runs here. */
export function readSystem(): SystemFacts {
  const enforce = textOf('/sys/fs/selinux/enforce');
  return {
    agentVersion,
    nodeVersion: process.version,
    os: /^PRETTY_NAME="?(.*?)"?$/m.exec(textOf('/etc/os-release') ?? '')?.[1] ?? '',
    hostname: textOf('/proc/sys/kernel/hostname') ?? '',
    bootId: textOf('/proc/sys/kernel/random/boot_id') ?? '',
    selinux: enforce === null ? null : enforce === '1' ? 'enforcing' : 'permissive',
  };
}
