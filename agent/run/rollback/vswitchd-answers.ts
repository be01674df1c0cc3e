import { monotonicMs } from '../../deadline.ts';
import { serviceEvent } from '../../drivers/host/process/service-event.ts';
import type { OpenVSwitch } from '../../drivers/openvswitch/ovs-client.ts';

/**
 * Time limit for ovs-vswitchd to answer. systemd restarts a crashed ovs-vswitchd after two seconds. A probe that fails
 * only after more than `hangsAfterMs` shows that ovs-vswitchd runs and hangs.
 */
const restartLimitMs = 6_000;
const hangsAfterMs = 1_000;

/**
 * Returns true if ovs-vswitchd answers, at once or after systemd has restarted it. If the result is false, ports that
 * are removed from the database of Open vSwitch stay in the kernel's data path.
 */
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
