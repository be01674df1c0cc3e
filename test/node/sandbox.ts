// Runs a command with the sandbox of one of the agent's units.
import type { TestNode } from './node.ts';

const probeSettings = `[Service]
Type=oneshot
RemainAfterExit=no
Restart=no
StandardOutput=truncate:/run/probe.log
StandardError=inherit
ExecCondition=
ExecStartPre=
ExecStart=
ExecStart=/bin/sh -e /run/probe.sh
ExecStopPost=`;

/**
 * Runs a shell command in a unit with another name and the [Service] settings of this unit, and returns its exit code
 * and output. The output is not read from the journal, which may not know the unit of a process that has ended.
 */
export async function inSandboxOf(
  node: TestNode,
  of: string,
  shell: string,
): Promise<{ exitCode: number | null; log: string }> {
  await node.write('/run/probe.sh', `${shell}\n`);
  const settings = `systemctl cat ${of} | awk '/^\\[/ { service = ($0 == "[Service]") } service'`;
  await node.text(`{ printf '[Unit]\\nStartLimitIntervalSec=0\\n'; ${settings}; echo '${probeSettings}'; } > /run/systemd/system/probe.service
    systemctl daemon-reload`);
  const { exitCode } = await node.run('systemctl start probe');
  return { exitCode, log: (await node.read('/run/probe.log')) ?? '' };
}
