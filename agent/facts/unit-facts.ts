import { commandMs, run } from '../drivers/host/process/exec.ts';
import { AgentError } from '../errors.ts';
import type { UnitFacts } from '../model/examination.ts';
import { watchUnits } from '../model/units.ts';

/** Units on which br-ex and the overlay depend, and units that use br-ex or configure its NIC. */
export const examinedUnits = [
  'microshift-ovs-init.service',
  'microshift-net-recover.service',
  'microshift-net-overlay.service',
  ...watchUnits,
  'NetworkManager.service',
  'NetworkManager-wait-online.service',
  'openvswitch.service',
  'ovs-vswitchd.service',
  'ovsdb-server.service',
  'dbus.service',
  'firewalld.service',
  'kdump.service',
  'microshift.service',
  'network.service',
  'networking.service',
  'systemd-networkd.service',
] as const;

const properties =
  'Id,LoadState,ActiveState,Result,UnitFileState,FragmentPath,DropInPaths,ExecStart,After,Before,ExecMainStatus,NRestarts';

/**
 * Reads the properties of the examined units from systemd. Works without D-Bus: systemctl(1) of root uses systemd's own
 * socket. Fails with `systemd-refused`.
 */
export async function readUnits(): Promise<readonly UnitFacts[]> {
  const words = ['show', '--no-pager', `--property=${properties}`, ...examinedUnits];
  const { exitCode, stdout, stderr } = await run('systemctl', words, commandMs);
  if (exitCode !== 0) {
    throw new AgentError('systemd-refused', `systemctl show ended with ${exitCode}: ${stderr.split('\n')[0]}`, {
      hint: 'look at journalctl -b -p warning for its reason',
    });
  }
  return parseUnits(stdout);
}

/** Parses one block per unit. The blocks are in the requested order and separated by empty lines (systemctl(1)). */
export function parseUnits(text: string): readonly UnitFacts[] {
  return text
    .split('\n\n')
    .filter((block) => block.trim() !== '')
    .map((block, index) => {
      const value = (key: string): string => new RegExp(`^${key}=(.*)$`, 'm').exec(block)?.[1] ?? '';
      const list = (key: string): readonly string[] => value(key).split(' ').filter(Boolean);
      return {
        // The requested name is used, because systemctl returns the name of the real unit for an alias (dbus.service).
        name: examinedUnits[index] ?? value('Id'),
        load: value('LoadState'),
        active: value('ActiveState'),
        result: value('Result'),
        file: value('UnitFileState'),
        path: value('FragmentPath'),
        dropIns: list('DropInPaths'),
        runs: [...block.matchAll(/^ExecStart=\{ path=\S* ; argv\[\]=(.*?) ; ignore_errors=/gm)].map(
          ([, line = '']) => line,
        ),
        after: list('After'),
        before: list('Before'),
        exitStatus: Number(value('ExecMainStatus')),
        restarts: Number(value('NRestarts')),
      };
    });
}
