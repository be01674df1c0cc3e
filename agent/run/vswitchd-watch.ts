import { type Deadline, monotonicMs } from '../deadline.ts';
import type { OpenVSwitch } from '../drivers/openvswitch/ovs-client.ts';
import { asAgentError } from '../errors.ts';

/**
 * Longest time in which every probe of ovs-vswitchd may fail. A restart by systemd takes two seconds, in which a probe
 * fails at once. If ovs-vswitchd is blocked, for example by a driver that resets its device, a probe fails only after
 * the time limit for its answer.
 */
const silenceLimitMs = 5_000;

/**
 * Stops the run if a probe of ovs-vswitchd fails after more than 5 s, or if all probes have failed for more than 5 s.
 * NetworkManager waits for ovs-vswitchd without an error, so the run would otherwise end with an activation timeout and
 * a misleading message. The run calls `look` at regular intervals.
 */
export function watchVswitchd(ovs: Pick<OpenVSwitch, 'probeVswitchd'>, deadline: Deadline): { look(): void } {
  let silentSinceMs: number | null = null;
  let asking = false;
  const ask = async (): Promise<void> => {
    const askedAtMs = monotonicMs();
    try {
      await ovs.probeVswitchd();
      silentSinceMs = null;
    } catch (error) {
      silentSinceMs ??= askedAtMs;
      if (monotonicMs() - silentSinceMs > silenceLimitMs) deadline.interrupt(asAgentError(error));
    }
  };
  return {
    look: () => {
      if (asking) return;
      asking = true;
      void ask().finally(() => {
        asking = false;
      });
    },
  };
}
