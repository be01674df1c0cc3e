import { ovsDevices } from '../../drivers/networkmanager/devices.ts';
import type { NetworkManager } from '../../drivers/networkmanager/nm-client.ts';
import { deviceInterface, deviceState, deviceType } from '../../drivers/networkmanager/nm-names.ts';
import { isAgentError } from '../../errors.ts';
import type { LeftBridge } from '../../model/left-bridge.ts';
import type { StepArguments } from '../../model/plan.ts';
import { activeUuids } from './activations.ts';
import { restoreLeftInterface } from './left-interface.ts';
import type { StepContext } from './step-context.ts';

/**
 * Time limit for the activations of deleted profiles to end. NetworkManager brings a bridge down within some hundred
 * milliseconds; a dispatcher script may delay it by up to its own limit of 10 s.
 */
const endLimitMs = 10_000;
/**
 * Time limit for NetworkManager to have a device for an Open vSwitch interface. It has one some milliseconds after the
 * row exists.
 */
const deviceLimitMs = 10_000;

/**
 * Deletes profiles and waits until their activations have ended. The end of an old activation would otherwise remove a
 * bridge of the same name that the next step creates.
 */
export async function deleteProfiles(context: StepContext, step: StepArguments['deleteProfiles']): Promise<void> {
  const { nm, ovs, watch, deadline, withoutVswitchd = false } = context;
  const { left = [] } = step;
  for (const { bridge } of left) await ovs.releaseBridge(bridge, !withoutVswitchd);
  const gone = new Set(step.profiles.map((profile) => profile.uuid));
  await Promise.all(step.profiles.map(async (profile) => nm.deleteProfile(await nm.profilePathOf(profile.uuid))));
  const ended = async (): Promise<boolean> => (await activeUuids(nm)).every(([, uuid]) => !gone.has(uuid));
  const limitMs = Math.min(endLimitMs, deadline.remainingMs());
  // The run continues after the time limit. If an old activation still lasts then, the next step that needs the
  // bridge's name fails.
  await watch.until('the end of the old profiles', ended, deadline, limitMs).catch((error: unknown) => {
    if (deadline.signal.aborted) throw error;
  });
  if (step.bridges.length > 0) await ovs.removeBridges(step.bridges);
  for (const bridge of left) await letGo(context, bridge);
  // Interfaces whose devices have to end. The id of a deleted profile is among them, because the id of a bridge's
  // profile is the name of the bridge.
  const names = new Set([...step.bridges, ...step.profiles.map(({ id }) => id)]);
  for (const { bridge } of left) names.delete(bridge);
  await removeDevices(context, names);
}

/**
 * Waits until NetworkManager has no devices for the interfaces of removed bridges, and deletes the devices that
 * NetworkManager keeps. A NetworkManager that starts while the interface exists without a profile keeps the device as
 * disconnected after the interface is removed (src/core/devices/ovs/nm-ovs-factory.c, ovsdb_device_removed). The run
 * continues after the limit, because such a device has no link and the next activation uses it.
 */
async function removeDevices({ nm, watch, deadline }: StepContext, names: ReadonlySet<string>): Promise<void> {
  const areGone = async (): Promise<boolean> => {
    const devices = await ovsDevices(nm, names, [deviceType.ovsInterface]);
    for (const device of devices) await deleteDisconnected(nm, device).catch(ignoreRefusal);
    return devices.length === 0;
  };
  const limitMs = Math.min(endLimitMs, deadline.remainingMs());
  await watch.until('the end of the old devices', areGone, deadline, limitMs).catch((error: unknown) => {
    if (deadline.signal.aborted) throw error;
  });
}

async function deleteDisconnected(nm: NetworkManager, device: string): Promise<void> {
  const state = await nm.property(device, deviceInterface, 'State');
  if (Number(state) === deviceState.disconnected) await nm.deleteDevice(device);
}

/**
 * Ignores the error with which NetworkManager refuses to delete a device that it has removed in the meantime. Throws
 * every other error.
 */
function ignoreRefusal(error: unknown): void {
  if (!isAgentError(error) || error.kind !== 'networkmanager-refused') throw error;
}

/**
 * Leaves a bridge to MicroShift, in the state that MicroShift's script creates (openshift/microshift,
 * packaging/systemd/configure-ovs.sh): NetworkManager has no profile for it and does not manage it. The flows and
 * foreign ports of the bridge were not removed. Its interface is new, and gets the kernel entries of the old one. The
 * row of the interface is created only after the old activation has ended, because NetworkManager 1.58 otherwise leaves
 * IPv6 disabled on the interface.
 */
async function letGo(
  { nm, ovs, watch, deadline, withoutVswitchd = false }: StepContext,
  left: LeftBridge,
): Promise<void> {
  await ovs.leaveBridge(left, !withoutVswitchd);
  const isThere = async (): Promise<boolean> =>
    (await ovsDevices(nm, new Set([left.bridge]), [deviceType.ovsInterface])).length > 0;
  const limitMs = Math.min(deviceLimitMs, deadline.remainingMs());
  await watch.until(`NetworkManager's device ${left.bridge}`, isThere, deadline, limitMs);
  for (const device of await ovsDevices(nm, new Set([left.bridge]))) await nm.manage(device, false);
  await restoreLeftInterface(left, withoutVswitchd);
}
