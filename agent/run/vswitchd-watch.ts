import { type Deadline, monotonicMs } from '../deadline.ts';
import type { OpenVSwitch } from '../drivers/openvswitch/ovs-client.ts';
import { asAgentError } from '../errors.ts';

/**
 * Longest time without an answer. A driver that resets its device blocks vswitchd for seconds, and a restart by systemd
 * takes two: one probe of 3 s may time out, but not two in a row.
 */
const silenceLimitMs = 5_000;

/**
 * Stops the run if ovs-vswitchd has not answered for 5 s. NetworkManager waits for it without an error, so the run
 * would otherwise end with an activation timeout. The run's heartbeat calls `look`.
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
