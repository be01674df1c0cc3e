import { existsSync, readlinkSync, statSync } from 'node:fs';
import { AgentError } from '../../../errors.ts';
import { commandMs, run } from './exec.ts';

/**
 * Time limit of a program in the network namespace of the machine: the TimeoutStartSec= of the units that run `apply`
 * and `overlay run`. The program is the agent itself, whose runs have shorter limits.
 */
const programMs = 240_000;

/**
 * Returns the reason why services can be neither reached nor started: the process runs in a chroot or an image build,
 * systemd is not running, or the D-Bus system bus does not exist. Null on a running node.
 */
export function whyNothingRuns(): string | null {
  if (isChroot()) return 'this is a chroot';
  // The directory /run/systemd/system exists if and only if systemd is running (sd_booted(3)).
  if (!existsSync('/run/systemd/system')) return 'systemd is not running here';
  return existsSync('/run/dbus/system_bus_socket') ? null : 'no D-Bus system bus runs here';
}

function isChroot(): boolean {
  try {
    const [own, first] = [statSync('/'), statSync('/proc/1/root/')];
    return own.dev !== first.dev || own.ino !== first.ino;
  } catch {
    // A /proc that is missing or unreadable, as in an image build, counts as a sign of a chroot.
    return true;
  }
}

/**
 * Returns true if this process is not in the network namespace of the machine. rpm can run scriptlets in an empty
 * namespace (rpm-plugin-unshare). Returns false if the namespaces cannot be compared.
 */
export function isNetworkHidden(): boolean {
  try {
    return readlinkSync('/proc/self/ns/net') !== readlinkSync('/proc/1/ns/net');
  } catch {
    return false;
  }
}

/**
 * Runs a program in the network namespace of the machine, with the agent's input and output; returns its exit status.
 */
export async function runInMachineNetwork(program: string, ...programArguments: string[]): Promise<number> {
  const words = ['--net=/proc/1/ns/net', program, ...programArguments];
  return (await run('nsenter', words, programMs, { stdio: 'inherit' })).exitCode;
}

/**
 * Enables or disables a unit according to the presets of the distribution and the administrator; works without a
 * running systemd. Fails with `systemd-refused`.
 */
export async function presetUnit(unit: string): Promise<void> {
  const { exitCode, stderr } = await run('systemctl', ['--no-reload', 'preset', unit], commandMs);
  if (exitCode === 0) return;
  const why = stderr.trim().split('\n').at(-1) ?? `systemctl ended with ${exitCode}`;
  throw new AgentError('systemd-refused', why, { hint: `once the cause is fixed: systemctl enable --now ${unit}` });
}
