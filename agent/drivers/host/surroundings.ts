import { existsSync, readlinkSync, statSync } from 'node:fs';
import { AgentError } from '../../errors.ts';
import { run } from './exec.ts';

/** `systemctl preset` makes a few links; it waits for nothing. */
const commandMs = 10_000;
/** As the unit's TimeoutStartSec: a run has its own limits below it. */
const programMs = 240_000;

/** Why nothing runs here that could be told or started: an image build, a chroot, a container without systemd; null: a running node. */
export function whyNothingRuns(): string | null {
  if (isChroot()) return 'this is a chroot';
  // sd_booted(3)
  if (!existsSync('/run/systemd/system')) return 'systemd does not run here';
  return existsSync('/run/dbus/system_bus_socket') ? null : 'there is no D-Bus system bus here';
}

function isChroot(): boolean {
  try {
    const [own, first] = [statSync('/'), statSync('/proc/1/root/')];
    return own.dev !== first.dev || own.ino !== first.ino;
  } catch {
    // Without /proc, or without the right to look: an image build.
    return true;
  }
}

/** Whether this process sees another network than the machine's: rpm can run scriptlets in an empty one (rpm-plugin-unshare). */
export function isNetworkHidden(): boolean {
  try {
    return readlinkSync('/proc/self/ns/net') !== readlinkSync('/proc/1/ns/net');
  } catch {
    return false;
  }
}

/** Runs a program in the network of the machine, with our own input and output; gives its exit code. */
export async function runInMachineNetwork(program: string, ...programArguments: string[]): Promise<number> {
  const words = ['--net=/proc/1/ns/net', program, ...programArguments];
  return (await run('nsenter', words, programMs, { stdio: 'inherit' })).exitCode;
}

/** Enables or disables a unit as the presets of the distribution and the admin say; works without a running systemd, too. */
export async function presetUnit(unit: string): Promise<void> {
  const { exitCode, stderr } = await run('systemctl', ['--no-reload', 'preset', unit], commandMs);
  if (exitCode === 0) return;
  const why = stderr.trim().split('\n').at(-1) ?? `systemctl ended with ${exitCode}`;
  throw new AgentError('systemd-refused', why, { hint: `once that is mended: systemctl enable --now ${unit}` });
}
