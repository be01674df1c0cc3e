import { type Deadline, monotonicMs } from '../deadline.ts';
import type { OpenVSwitch } from '../drivers/openvswitch/ovs-client.ts';
import { asAgentError } from '../errors.ts';

/**
 * Longest time without an answer of ovs-vswitchd. A driver that resets its device blocks it for seconds, and a restart
 * by systemd takes two seconds: one probe of 3 s may fail for that reason, but not two in a row.
 */
const silenceLimitMs = 5_000;

/**
 * Stops the run if ovs-vswitchd has not answered for 5 s. NetworkManager waits for it without an error, so the run
 * would otherwise end with an activation timeout and a misleading message. The run calls `look` at regular intervals.
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
