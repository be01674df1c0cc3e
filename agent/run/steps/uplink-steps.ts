import { holdAddresses, holdRoutes, setMac } from '../../drivers/host/kernel/address-hold.ts';
import { answerForEvery, ignoreHostScope } from '../../drivers/host/kernel/arp-answers.ts';
import { waitForKernel } from '../../drivers/host/kernel/kernel-events.ts';
import { readLinks } from '../../drivers/host/kernel/links.ts';
import { copyNeighbours } from '../../drivers/host/kernel/neighbours.ts';
import { readSourceCheck, setSourceCheck } from '../../drivers/host/kernel/source-check.ts';
import { kernelDevice, ovsDevices } from '../../drivers/networkmanager/devices.ts';
import type { NetworkManager } from '../../drivers/networkmanager/nm-client.ts';
import { activeInterface, activeState, deviceInterface, deviceState } from '../../drivers/networkmanager/nm-names.ts';
import { AgentError } from '../../errors.ts';
import { detectionLimitMs, endlessDhcpTimeout } from '../../model/limits.ts';
import type { ProfileName, StepArguments } from '../../model/plan.ts';
import { type ProfileSettings, textOf } from '../../model/profile-settings.ts';
import { beginActivation } from './activations.ts';
import type { StepContext } from './step-context.ts';
import { waitForAddresses } from './wait-addresses.ts';

/**
 * Key in external_ids of the NIC's port. In the userspace data path, it stores the value of rp_filter that the NIC had
 * before it became a port.
 */
const formerSourceCheck = 'microshift-net.rp-filter';
/**
 * Value of rp_filter for strict source validation, which a NIC gets in the userspace data path. With that data path,
 * the kernel also receives each packet of the NIC. With this value, the kernel drops the IPv4 packets, because the NIC
 * has no routes while it is a port. The node then answers these packets only through the bridge.
 */
const onlyRouted = '1';
/**
 * Values of ipv4.method for which NetworkManager does address conflict detection (ipv4.dad-timeout, 200 ms by default).
 */
const asked: readonly string[] = ['auto', 'manual'];
/**
 * Time limit for NetworkManager to begin an activation. NetworkManager takes some hundred milliseconds; the limit
 * allows for a bond with its ports.
 */
const configuringLimitMs = 30_000;
/**
 * Time limit for the removal of the IP settings. NetworkManager replies when it has changed its own configuration; the
 * kernel removes the addresses some milliseconds later.
 */
const clearLimitMs = 5_000;

/**
 * Marks an existing bridge as NetworkManager's and makes NetworkManager manage its devices. NetworkManager assumes the
 * present configuration of a device that becomes managed (nm-manager.c).
 */
export async function claimBridge({ nm, ovs }: StepContext, step: StepArguments['claimBridge']): Promise<void> {
  if (step.renewed === true) await ovs.renewInterface(step.bridge);
  await ovs.claimBridge(step.bridge, step.profiles, step.row);
  for (const device of await ovsDevices(nm, new Set([step.bridge]))) await nm.manage(device, true);
}

/**
 * Puts the NIC into the bridge. The bridge first gets a copy of the NIC's neighbours, so that it can send without
 * neighbour resolution when the addresses move to it.
 */
export async function attachUplink({ ovs }: StepContext, step: StepArguments['attachUplink']): Promise<void> {
  await ovs.probeVswitchd();
  ignoreHostScope(step.bridge);
  await copyNeighbours(step.interface, step.bridge, true);
  if (step.userspace !== true) return ovs.attachUplink(step);
  // The previous value of the NIC's rp_filter is stored in Open vSwitch as long as the NIC is a port.
  await ovs.attachUplink(step, { [formerSourceCheck]: readSourceCheck(step.interface) });
  setSourceCheck(step.interface, onlyRouted);
}

/**
 * Removes the IP settings from the NIC and waits until its addresses are gone. Fails before any change if ovs-vswitchd
 * hangs. The NIC then keeps its addresses, and is reachable as soon as it has left the kernel's data path.
 * NetworkManager's rollback then does not activate the NIC's profile again.
 */
export async function clearUplink(context: StepContext, step: StepArguments['clearUplink']): Promise<void> {
  const { nm, ovs, deadline } = context;
  await ovs.probeVswitchd();
  const device = await kernelDevice(nm, step.interface);
  if (step.profile !== null) await startProfile(context, device, step.profile, step.interface, deviceState.prepare);
  await nm.clearIpSettings(device);
  const addresses = (): readonly string[] =>
    (readLinks().find((link) => link.name === step.interface)?.addresses ?? []).map((entry) => entry.address);
  const timeout = () =>
    new AgentError('activation-timeout', `${step.interface} keeps ${addresses().join(', ')} of its own`, {
      hint: `look for another program that configures ${step.interface}: journalctl -u NetworkManager, ip monitor address`,
    });
  await waitForKernel(() => addresses().length === 0, deadline, clearLimitMs, timeout);
  await configured(context, device, step.interface);
}

/**
 * Waits until the activation of the NIC's profile has ended. An activation without IP settings waits only for the
 * carrier, which a bond or team without a port may lack. Returns without an error at the time limit.
 */
async function configured({ nm, watch, deadline }: StepContext, device: string, name: string): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    const state = Number(await nm.property(device, deviceInterface, 'State'));
    return state === deviceState.activated || state <= deviceState.disconnected;
  };
  await watch
    .until(`the end of the configuration of ${name}`, isDone, deadline, clearLimitMs)
    .catch((error: unknown) => {
      if (deadline.signal.aborted) throw error;
    });
}

/**
 * Moves the NIC from the bridge to its own profile. NetworkManager configures the NIC while it is still a port and the
 * bridge is reachable, so that the addresses exist and are checked for duplicates before the NIC leaves. The kernel
 * holds addresses and routes of DHCP and router advertisements until they arrive again.
 */
export async function detachUplink(context: StepContext, step: StepArguments['detachUplink']): Promise<void> {
  const { nm, ovs, deadline, withoutVswitchd = false } = context;
  if (!withoutVswitchd) await ovs.probeVswitchd();
  const device = await kernelDevice(nm, step.interface);
  if (step.activate) {
    await blockAutoconnect(nm, step.blocked ?? []);
    await startProfile(context, device, step.profile, step.interface, deviceState.ipConfig);
    if (step.mac !== null) await setMac(step.interface, step.mac);
  } else {
    // The NIC gets a copy of the bridge's neighbours, because NetworkManager sends packets to the gateway through the
    // NIC before the NIC has an address. The NIC could not resolve the gateway's MAC, because the bridge receives the
    // ARP replies.
    await copyNeighbours(step.bridge, step.interface);
    await nm.reapply(device, await returningSettings(nm, step.profile.uuid), step.profile.uuid);
  }
  await holdAddresses(step.interface, step.addresses);
  // Only IPv6 addresses are awaited: NetworkManager has added them and checks them for duplicates while the bridge is
  // still reachable. IPv4 addresses exist already.
  const checked = step.addresses.filter((address) => address.includes(':'));
  await waitForAddresses(step.interface, checked, deadline, detectionLimitMs);
  // The neighbours are copied a second time, because neighbour resolution through the NIC has failed in the meantime.
  await copyNeighbours(step.bridge, step.interface);
  await holdRoutes(step);
  const { bridges } = await ovs.facts();
  const port = bridges.flatMap(({ ports }) => ports).find(({ name }) => name === step.interface);
  const sourceCheck = port?.externalIds[formerSourceCheck];
  if (sourceCheck !== undefined) setSourceCheck(step.interface, sourceCheck);
  answerForEvery(step.bridge);
  await ovs.detachUplink(step, !withoutVswitchd);
}

/**
 * Keeps profiles from being activated automatically. While a bond's own profile is activated, its ports have no
 * controller for a moment. NetworkManager may then activate the bridge's copy of a port's profile, and with it the
 * bridge's copy of the bond's profile instead of the bond's own (nm-manager.c, ensure_controller_active_connection).
 */
async function blockAutoconnect(nm: NetworkManager, profiles: readonly ProfileName[]): Promise<void> {
  for (const { uuid } of profiles) {
    const path = await nm.findProfile(uuid);
    if (path !== null) await nm.blockAutoconnect(path);
  }
}

/**
 * Returns the NIC's profile with two changes that apply until the profile is activated again. Returns null if the
 * profile configures no IPv4 addresses, because it can then be applied unchanged.
 *
 * - The DHCP client never stops trying. Otherwise, with a short ipv4.dhcp-timeout or an absent server, NetworkManager
 *   would stop the client and remove the held addresses.
 * - Address conflict detection is off, because this node holds the addresses itself. NetworkManager up to 1.58 would
 *   abort if the NIC already has an address that NetworkManager is about to probe (nm-l3cfg.c).
 */
async function returningSettings(nm: NetworkManager, uuid: string): Promise<ProfileSettings | null> {
  const settings = await nm.profileSettings(await nm.profilePathOf(uuid));
  if (!asked.includes(textOf(settings, 'ipv4', 'method') ?? '')) return null;
  const unasked = { 'dhcp-timeout': ['i', endlessDhcpTimeout], 'dad-timeout': ['i', 0] } as const;
  return { ...settings, ipv4: { ...settings.ipv4, ...unasked } };
}

/**
 * Activates a profile on a NIC and waits until the device has reached a state of NMDeviceState. At `prepare`
 * NetworkManager has removed the old addresses; at `ipConfig` it adds new ones. Fails if the activation ends before
 * that state.
 */
async function startProfile(
  { nm, watch, deadline }: StepContext,
  device: string,
  { id, uuid }: { readonly id: string; readonly uuid: string },
  interfaceName: string,
  least: number,
): Promise<void> {
  const active = await beginActivation(nm, { uuid, interface: interfaceName });
  let ended = false;
  const hasCome = async (): Promise<boolean> => {
    const state = await nm.property(active, activeInterface, 'State').catch(() => activeState.deactivated);
    ended = state === activeState.deactivated;
    if (ended) return true;
    if ((await nm.property(device, deviceInterface, 'ActiveConnection')) !== active) return false;
    const progress = Number(await nm.property(device, deviceInterface, 'State'));
    return progress >= least && progress <= deviceState.activated;
  };
  const limitMs = Math.min(configuringLimitMs, deadline.remainingMs());
  await watch.until(`the start of ${id} on ${interfaceName}`, hasCome, deadline, limitMs);
  if (!ended) return;
  throw new AgentError('activation-failed', `the profile ${id} could not be started on ${interfaceName}`, {
    hint: 'look at journalctl -u NetworkManager for why, then run it again',
  });
}
