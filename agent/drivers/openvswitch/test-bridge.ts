import { AgentError } from '../../errors.ts';
import { commandMs, run } from '../host/process/exec.ts';
import { flowsOf } from './flows.ts';

/** Cookie of the flows that exist only during a test: `msnt` in ASCII, which other programs are unlikely to use. */
const testCookie = '0x6d736e74';

/** Functions that the work of `testBridge` can use. */
export interface BridgeTest {
  /** Delivers a frame (hex) to the host as if it had arrived through the bridge. */
  readonly deliver: (frame: string) => Promise<void>;
}

/**
 * Runs `work` while a flow drops the host's own packets that match `held` (ovs-fields(7)), so that they do not leave
 * the bridge. Fails with `vswitchd-not-responding` or `step-failed`.
 */
export async function testBridge<T>(
  bridge: string,
  held: string,
  runDirectory: string,
  work: (test: BridgeTest) => Promise<T>,
): Promise<T> {
  const flows = flowsOf(bridge, testCookie, runDirectory);
  const deliver = async (frame: string): Promise<void> => {
    const words = ['-O', 'OpenFlow14', 'packet-out', `unix:${runDirectory}/${bridge}.mgmt`];
    const packet = `in_port=controller packet=${frame} actions=LOCAL`;
    const { exitCode, stderr } = await run('ovs-ofctl', [...words, packet], commandMs);
    if (exitCode === 0) return;
    throw new AgentError('step-failed', `ovs-vswitchd refused to deliver a frame on ${bridge}: ${stderr.trim()}`, {
      hint: 'look at /var/log/openvswitch/ovs-vswitchd.log for why',
    });
  };
  await flows.replace([`priority=65535,in_port=LOCAL,${held},actions=drop`]);
  try {
    return await work({ deliver });
  } finally {
    await flows.replace([]);
  }
}
