import { readKeyfiles } from '../../drivers/host/files/keyfiles.ts';
import { removeAddresses } from '../../drivers/host/kernel/change-kernel-entries.ts';
import { bridges, bridgesOf } from '../../model/names.ts';
import { addressesOf, isBindable, type Link } from '../../model/observation.ts';
import type { LinkAddresses, Wanted } from '../../model/plan.ts';
import { differsFromLeft } from '../../plan/bridge/microshift-bridge.ts';
import { openTuning, type TuningPorts } from '../node.ts';
import { restoreLeftInterface } from '../steps/left-interface.ts';
import { freeLeftBridge } from './left-bridges.ts';

/*
 * Functions of a rollback for the time in which D-Bus is not available. While NetworkManager cannot be reached, the
 * timer of its checkpoint returns the NICs to their profiles, and the agent changes Open vSwitch and the kernel
 * directly.
 */

/** Directory of the profiles that NetworkManager keeps until the next boot, such as those of the agent. */
const memoryProfiles = '/run/NetworkManager/system-connections';

/**
 * Removes a NIC from its bridge if it was in no bridge before the transaction and still has its previous addresses. A
 * port receives no replies, so the node becomes unreachable at the next neighbour resolution. If NetworkManager does
 * not start again, no other program corrects that.
 */
export async function freeAddressed(previous: Wanted, before: readonly LinkAddresses[]): Promise<void> {
  const inBridges = previous.bridges.flatMap(({ uplink }) => uplink?.interface ?? []);
  const ports = await openTuning();
  try {
    const { links, ovs } = await ports.observe();
    for (const { interface: name, addresses } of before) {
      const bridge = ovs.bridges.find((row) => row.name !== name && row.ports.some((port) => port.name === name))?.name;
      if (bridge === undefined || inBridges.includes(name)) continue;
      const bindable = bindableOf(name, links);
      if (addresses.some((address) => bindable.includes(address)))
        await ports.ovs.detachUplink({ bridge, interface: name }, true);
    }
  } finally {
    ports.close();
  }
}

/**
 * Completes a rollback that NetworkManager's checkpoint timer has started: restores Open vSwitch and the kernel,
 * without D-Bus. Returns true if both are in the old state: every link has its previous addresses, each previous bridge
 * of the agent contains its NIC, and no other bridge of the agent exists. Also restores the bridges that MicroShift's
 * script had created before the transaction, and removes the NICs from them, because a NIC gets no lease as a port. A
 * bridge is restored when NetworkManager has undone the agent's change of it: the bridge's interface has no address of
 * the node any more, or its profile no longer exists. (In the userspace data path, the interface keeps its addresses,
 * and only the profile disappears.) Finally removes from lo the addresses of the transaction, which NetworkManager's
 * generated profile of lo can contain.
 */
export async function completeUnaided(
  previous: Wanted,
  before: readonly LinkAddresses[],
  addedToLoopback: readonly string[],
): Promise<boolean> {
  const ports = await openTuning();
  const { microshift = [] } = previous;
  try {
    const { links, ovs } = await ports.observe();
    const profiles = readKeyfiles([memoryProfiles]).map(({ id }) => id);
    for (const left of microshift) {
      const { bridge } = left;
      if (!differsFromLeft(left, { links, ovs })) continue;
      const present = addressesOf(links.find((link) => link.name === bridge));
      const hasAddress = before.some(({ addresses }) => addresses.some((address) => present.includes(address)));
      const hasProfile = bridges.some((names) => names.bridge === bridge && profiles.includes(names.bridgeInterface));
      if (hasAddress && hasProfile) return false;
      await freeLeftBridge(ports.ovs, left, links, true);
      await ports.ovs.leaveBridge(left, true);
      await restoreLeftInterface(left, false);
    }
    if (!(await isAsBefore(previous, before, ports))) return false;
    await removeAddresses('lo', addedToLoopback);
    return true;
  } finally {
    ports.close();
  }
}

async function isAsBefore(previous: Wanted, before: readonly LinkAddresses[], ports: TuningPorts): Promise<boolean> {
  const { links, ovs } = await ports.observe();
  if (!before.every((link) => hasAddresses(link, links))) return false;
  return bridgesOf({ ovs }, previous.added).every(({ bridge: name }) => {
    const left = previous.microshift?.find((bridge) => bridge.bridge === name);
    if (left !== undefined) return !differsFromLeft(left, { links, ovs });
    const wanted = previous.bridges.find((bridge) => bridge.bridge === name);
    const row = ovs.bridges.find((bridge) => bridge.name === name);
    if (wanted === undefined || row === undefined) return wanted === undefined && row === undefined;
    return wanted.uplink === null || row.ports.some((port) => port.name === wanted.uplink?.interface);
  });
}

function hasAddresses({ interface: name, addresses }: LinkAddresses, links: readonly Link[]): boolean {
  const bindable = bindableOf(name, links);
  return addresses.every((address) => bindable.includes(address));
}

function bindableOf(name: string, links: readonly Link[]): readonly string[] {
  const link = links.find((entry) => entry.name === name);
  return addressesOf(link, isBindable);
}
