import type { AppliedSettings } from '../model/applied-settings.ts';
import { nicDevice, type Observation } from '../model/observation.ts';
import type { WantedBridge } from '../model/plan.ts';
import type { Node } from './node.ts';

/**
 * Returns an observation that also has the settings which NetworkManager has applied to the NICs of `bridges`. NICs
 * without a device or an active profile are left out. Takes one D-Bus round trip per NIC, all of them in parallel.
 */
export async function withAppliedSettings(
  { nm }: Pick<Node, 'nm'>,
  bridges: readonly WantedBridge[],
  observation: Observation,
): Promise<Observation> {
  const read = await Promise.all(
    bridges.map(async ({ uplink }): Promise<AppliedSettings | null> => {
      const device = uplink === null ? undefined : nicDevice(uplink.interface, observation);
      if (device === undefined || device.activeConnection === null) return null;
      const settings = await nm.appliedSettings(device.path).catch(() => null);
      if (settings === null) return null;
      return { interface: device.interface, uuid: String(settings.connection?.uuid?.[1] ?? ''), settings };
    }),
  );
  const applied = read.filter((entry) => entry !== null);
  return { ...observation, networkManager: { ...observation.networkManager, applied } };
}
