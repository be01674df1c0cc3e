import { fileText } from '../drivers/host/files/kernel-files.ts';
import { currentBootId } from '../drivers/host/kernel/boot-id.ts';
import type { SystemFacts } from '../model/examination.ts';
import { agentVersion } from '../version.ts';

/**
 * Reads the versions of the agent, of Node.js and of the operating system, the host name, the boot ID and the mode of
 * SELinux.
 */
export function readSystem(): SystemFacts {
  const enforce = fileText('/sys/fs/selinux/enforce');
  return {
    agentVersion,
    nodeVersion: process.version,
    os: /^PRETTY_NAME="?(.*?)"?$/m.exec(fileText('/etc/os-release') ?? '')?.[1] ?? '',
    hostname: fileText('/proc/sys/kernel/hostname') ?? '',
    bootId: currentBootId(),
    selinux: enforce === null ? null : enforce === '1' ? 'enforcing' : 'permissive',
  };
}
