import type { Bus } from '../drivers/dbus/bus-connection.ts';
import { openFirewalld } from '../drivers/firewalld/firewalld-client.ts';
import { standingCheckpoints } from '../drivers/networkmanager/checkpoint.ts';
import { openNetworkManager } from '../drivers/networkmanager/nm-client.ts';
import { openOpenVSwitch, probeVswitchd } from '../drivers/openvswitch/ovs-client.ts';
import { type InterfaceZones, trustedZone, type ZoneSources } from '../model/firewall.ts';
import type { NetworkManagerFacts, OvsFacts } from '../model/observation.ts';
import { observeNetworkManager } from './network-manager.ts';
import { onSystemBus } from './system-bus.ts';

/**
 * Reads the facts of NetworkManager. Each function of this file opens a connection of its own, unless its caller passes
 * one. A service that hangs therefore does not delay the queries of other services.
 */
export function askNetworkManager(): Promise<NetworkManagerFacts> {
  return onSystemBus(async (bus) => observeNetworkManager(await openNetworkManager(bus)));
}

/** Reads the paths of NetworkManager's checkpoints; null if NetworkManager does not answer. */
export function askCheckpoints(): Promise<readonly string[] | null> {
  return onSystemBus(async (bus) => standingCheckpoints(await openNetworkManager(bus))).catch(() => null);
}

export async function askOvsdb(): Promise<OvsFacts> {
  const ovs = await openOpenVSwitch();
  return ovs.facts().finally(() => ovs.close());
}

export async function askVswitchd(): Promise<'responds'> {
  await probeVswitchd();
  return 'responds';
}

/**
 * Reads the assignment of interfaces to the zones of firewalld; null if firewalld is not running. `open` is a
 * connection of the caller to the system bus; if it is absent, the function opens one.
 */
export function askInterfaceZones(open?: Bus): Promise<InterfaceZones | null> {
  const zones = async (bus: Bus) => (await openFirewalld(bus))?.interfaceZones() ?? null;
  return open === undefined ? onSystemBus(zones) : zones(open);
}

export function askFirewall(): Promise<ZoneSources | null> {
  return onSystemBus(async (bus) => (await openFirewalld(bus))?.sources(trustedZone) ?? null);
}
