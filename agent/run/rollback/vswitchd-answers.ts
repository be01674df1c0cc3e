import { monotonicMs } from '../../deadline.ts';
import { serviceEvent } from '../../drivers/host/process/service-event.ts';
import type { OpenVSwitch } from '../../drivers/openvswitch/ovs-client.ts';

/** Limit for the restart of vswitchd. systemd restarts a killed one after two seconds; an answer after `hangsAfterMs` means that it hangs. */
const restartLimitMs = 6_000;
const hangsAfterMs = 1_000;

/** True if ovs-vswitchd answers, at once or after a restart by systemd. Without it, ports that are removed from the database stay in the kernel. */
export async function vswitchdAnswers(ovs: OpenVSwitch): Promise<boolean> {
  const giveUpMs = monotonicMs() + restartLimitMs;
  for (;;) {
    const askedMs = monotonicMs();
    try {
      await ovs.probeVswitchd();
      return true;
    } catch {
      if (monotonicMs() - askedMs > hangsAfterMs || monotonicMs() > giveUpMs) return false;
      await serviceEvent();
    }
  }
}
