import { holdAddresses, holdRoutes, setMac } from '../drivers/host/address-hold.ts';
import { waitForKernel } from '../drivers/host/kernel-events.ts';
import { readLinks } from '../drivers/host/links.ts';
import { copyNeighbours } from '../drivers/host/neighbours.ts';
import { readSourceCheck, setSourceCheck } from '../drivers/host/source-check.ts';
import type { NetworkManager } from '../drivers/networkmanager/client.ts';
import { kernelDevice, ovsDevices } from '../drivers/networkmanager/devices.ts';
import { activeInterface, activeState, deviceInterface, deviceState } from '../drivers/networkmanager/names.ts';
import { AgentError } from '../errors.ts';
import { detectionLimitMs, endlessDhcpTimeout } from '../model/limits.ts';
import type { ProfileName, StepArguments } from '../model/plan.ts';
import { type ProfileSettings, textOf } from '../model/settings.ts';
import { beginActivation } from './activations.ts';
import type { StepContext } from './step-context.ts';
import { waitForAddresses } from './wait-addresses.ts';

/** External id of a NIC's port: the rp_filter that the NIC had before. */
const formerSourceCheck = 'microshift-net.rp-filter';
/** Strict: the NIC has no routes while it is the uplink. */
const onlyRouted = '1';
/** IPv4 methods whose addresses NetworkManager asks the LAN about (ipv4.dad-timeout, 200 ms by default). */
const asked: readonly string[] = ['auto', 'manual'];
/** NetworkManager begins within some hundred milliseconds; this allows for a bond that takes its ports along. */
const configuringLimitMs = 30_000;
/** NetworkManager has changed the configuration when it answers; the kernel's part takes it some milliseconds more. */
const clearLimitMs = 5_000;

/** Takes over a bridge that is there. NetworkManager assumes what is configured on a device that becomes managed (nm-manager.c). */
export async function claimBridge({ nm, ovs }: StepContext, step: StepArguments['claimBridge']): Promise<void> {
  if (step.renewed === true) await ovs.renewInterface(step.bridge);
  await ovs.claimBridge(step.bridge, step.profiles, step.row);
  for (const device of await ovsDevices(nm, step.bridge)) await nm.manage(device, true);
}

/** Puts the NIC into the bridge. The moment its own addresses go, the bridge answers without having to ask for anybody first. */
export async function attachUplink({ ovs }: StepContext, step: StepArguments['attachUplink']): Promise<void> {
  await ovs.probeVswitchd();
  await copyNeighbours(step.interface, step.bridge, true);
  if (step.userspace !== true) return ovs.attachUplink(step);
  // What it was stands in Open vSwitch for as long as the NIC is a port.
  await ovs.attachUplink(step, { [formerSourceCheck]: readSourceCheck(step.interface) });
  setSourceCheck(step.interface, onlyRouted);
}

/**
 * Takes the IP settings off the NIC and waits until its addresses are gone. Not where vswitchd hangs: a NIC that still has them answers as soon as
 * it is out of the data path, and NetworkManager's rollback does not start it anew.
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
      hint: `look for who else configures ${step.interface}: journalctl -u NetworkManager, ip monitor address`,
    });
  await waitForKernel(() => addresses().length === 0, deadline, clearLimitMs, timeout);
  await configured(context, device, step.interface);
}

/** A NIC that was being activated has no more to wait for than its link, and a bond or team without a port may wait for that. */
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
 * The way back. The NIC is configured by its own profile again while it is still a port and the bridge answers, so that its addresses are
 * there, and checked for duplicates, when it leaves. What a lease or a router has yet to bring is held in the kernel meanwhile.
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
    // NetworkManager sends what is for the gateway through the NIC before the NIC has an address, and the bridge hears who answers for it.
    await copyNeighbours(step.bridge, step.interface);
    await nm.reapply(device, await returningSettings(nm, step.profile.uuid), step.profile.uuid);
  }
  await holdAddresses(step.interface, step.addresses);
  // Fixed IPv6 addresses are NetworkManager's by now, and checked for duplicates while the bridge still answers. IPv4 ones are there.
  const checked = step.addresses.filter((address) => address.includes(':'));
  await waitForAddresses(step.interface, checked, deadline, detectionLimitMs);
  // Again: what was asked meanwhile went unanswered, too.
  await copyNeighbours(step.bridge, step.interface);
  await holdRoutes(step);
  const { bridges } = await ovs.facts();
  const port = bridges.flatMap(({ ports }) => ports).find(({ name }) => name === step.interface);
  const sourceCheck = port?.externalIds[formerSourceCheck];
  if (sourceCheck !== undefined) setSourceCheck(step.interface, sourceCheck);
  await ovs.detachUplink(step, !withoutVswitchd);
}

/**
 * While a bond's own profile is started, its ports are free for a moment. A clone of a port's profile that NetworkManager starts on one then,
 * has it start the profile of its controller on the bond in place of the own one (nm-manager.c, ensure_controller_active_connection).
 */
async function blockAutoconnect(nm: NetworkManager, profiles: readonly ProfileName[]): Promise<void> {
  for (const { uuid } of profiles) {
    const path = await nm.findProfile(uuid);
    if (path !== null) await nm.blockAutoconnect(path);
  }
}

/**
 * The profile as it is applied until it is started anew. Its DHCP client never gives up: with a short ipv4.dhcp-timeout, or a server that is away,
 * what is held for the NIC would go with the client. And NetworkManager does not ask whether somebody else has the IPv4 addresses, which this
 * node holds: up to 1.58 it aborts where an address that it is about to ask for is there by the end of its commit (nm-l3cfg.c, the
 * state after a commit takes what to defend from a question that was never begun). Null, the profile itself: it gives no IPv4 addresses.
 */
async function returningSettings(nm: NetworkManager, uuid: string): Promise<ProfileSettings | null> {
  const settings = await nm.profileSettings(await nm.profilePathOf(uuid));
  if (!asked.includes(textOf(settings, 'ipv4', 'method') ?? '')) return null;
  const unasked = { 'dhcp-timeout': ['i', endlessDhcpTimeout], 'dad-timeout': ['i', 0] } as const;
  return { ...settings, ipv4: { ...settings.ipv4, ...unasked } };
}

/**
 * Starts a profile on a NIC and waits until it has come so far. From `prepare` on NetworkManager has taken the old addresses off, at
 * `ipConfig` it gives new ones. Fails when the activation ends before.
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
