import { type Deadline, monotonicMs } from '../deadline.ts';
import type { OpenVSwitch } from '../drivers/openvswitch/client.ts';
import { asAgentError } from '../errors.ts';

/**
 * A driver that resets its device holds vswitchd for seconds, a restart by systemd takes two: one question of 3 s may go without an answer, not the
 * next one as well.
 */
const silenceLimitMs = 5_000;

/**
 * Stops the run when ovs-vswitchd has not answered for 5 s. NetworkManager waits for it without a word, so what a run would end with
 * otherwise is an activation that timed out. `look` is called by the run's heartbeat.
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
