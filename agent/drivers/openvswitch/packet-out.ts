import { AgentError } from '../../errors.ts';
import { commandMs, run } from '../host/process/exec.ts';
import { vswitchdNotResponding } from './ovs-errors.ts';

/**
 * Passes frames (hex) to a bridge as if they had arrived at a port; the bridge's flows decide where they go
 * (ovs-ofctl(8), packet-out). Failures are AgentErrors (`vswitchd-not-responding`, `step-failed`).
 */
export async function sendFrames(
  bridge: string,
  inPort: number,
  frames: readonly string[],
  runDirectory: string,
): Promise<void> {
  for (const frame of frames) {
    const words = ['-O', 'OpenFlow14', 'packet-out', `unix:${runDirectory}/${bridge}.mgmt`];
    const done = await run(
      'ovs-ofctl',
      [...words, `in_port=${inPort},packet=${frame},actions=resubmit(,0)`],
      commandMs,
    );
    if (done.exitCode === 0) continue;
    const said = done.stderr.trim();
    if (said === '' || /connecting to|connection|timed out/i.test(said))
      throw vswitchdNotResponding(`could not send a frame by ${bridge}: ${said || done.failure}`);
    throw new AgentError('step-failed', `ovs-vswitchd refused to send a frame by ${bridge}: ${said}`, {
      hint: 'look at /var/log/openvswitch/ovs-vswitchd.log for why',
      facts: { doing: `send a frame by ${bridge}` },
    });
  }
}
