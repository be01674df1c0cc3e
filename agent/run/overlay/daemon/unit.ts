import type { Systemd } from '../../../drivers/systemd/systemd-units.ts';
import { asAgentError } from '../../../errors.ts';
import { reportingSystemd } from '../ovn/ovn-units.ts';

const unit = 'microshift-net-overlay.service';

/**
 * Starts the unit of the daemon and enables it for every boot. Does nothing without systemd, or if the unit is not
 * installed. Reports a failure and does not throw it.
 */
export async function startDaemon(say: (step: string) => void): Promise<void> {
  await change(say, async (systemd) => {
    await systemd.enableUnit(unit);
    await systemd.startUnit(unit);
  });
}

/** Stops the unit of the daemon and disables it. Reports a failure and does not throw it. */
export async function stopDaemon(say: (step: string) => void): Promise<void> {
  await change(say, async (systemd) => {
    await systemd.stopUnit(unit);
    await systemd.disableUnit(unit);
  });
}

async function change(say: (step: string) => void, work: (systemd: Systemd) => Promise<void>): Promise<void> {
  try {
    await reportingSystemd(say)(async (systemd) => {
      if (await systemd.isInstalled(unit)) await work(systemd);
    });
  } catch (thrown) {
    const { kind, message } = asAgentError(thrown);
    if (kind !== 'dbus-unreachable') say(`warning: ${unit}: ${message}`);
  }
}
