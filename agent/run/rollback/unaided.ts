import { bridgesOf } from '../../model/names.ts';
import { addressesOf, isBindable, type Link } from '../../model/observation.ts';
import type { LinkAddresses, Wanted } from '../../model/plan.ts';
import { differsFromLeft } from '../../plan/bridge/microshift-bridge.ts';
import { openTuning, type TuningPorts } from '../node.ts';
import { restoreLeftInterface } from '../steps/left-interface.ts';
import { freeLeftBridge } from './left-bridges.ts';

/*
 * The part of a rollback that needs no D-Bus. If NetworkManager cannot be reached, the timer of its checkpoint returns
 * the NICs to their profiles; Open vSwitch and the kernel are changed directly.
 */

/**
 * Removes NICs from a bridge if they were in no bridge before and still have their previous addresses. A port receives
 * no replies, so the node becomes unreachable as soon as the kernel resolves a neighbour. If NetworkManager does not
 * return, no other program corrects that.
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
 * Completes a rollback of NetworkManager's checkpoint timer in Open vSwitch and the kernel, which need no D-Bus, and
 * returns true if both are in the old state: every link has its addresses, and each bridge of the agent exists with its
 * NIC exactly if it did before. NetworkManager does not know the bridges of MicroShift; they are restored here, once they
 * have lost the node's addresses. A NIC gets its lease only outside of them.
 */
export async function completeUnaided(previous: Wanted, before: readonly LinkAddresses[]): Promise<boolean> {
  const ports = await openTuning();
  const { microshift = [] } = previous;
  try {
    const { links, ovs } = await ports.observe();
    for (const left of microshift) {
      const { bridge } = left;
      if (!differsFromLeft(left, { links, ovs })) continue;
      const present = addressesOf(links.find((link) => link.name === bridge));
      // NetworkManager has not rolled back yet.
      if (before.some(({ addresses }) => addresses.some((address) => present.includes(address)))) return false;
      await freeLeftBridge(ports.ovs, left, links, true);
      await ports.ovs.leaveBridge(left, true);
      await restoreLeftInterface(left, false);
    }
    return await isAsBefore(previous, before, ports);
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
