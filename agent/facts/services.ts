import { connectBus, systemBusAddress } from '../drivers/dbus/connection.ts';
import { openFirewall } from '../drivers/firewalld/client.ts';
import { openNetworkManager } from '../drivers/networkmanager/client.ts';
import { openOpenVSwitch, probeVswitchd } from '../drivers/openvswitch/client.ts';
import { trustedZone, type ZoneSources } from '../model/firewall.ts';
import type { NetworkManagerFacts, OvsFacts } from '../model/observation.ts';
import { observeNetworkManager } from './network-manager.ts';

/** Each of these opens a connection of its own: one that hangs keeps none of the others waiting. */
export async function askNetworkManager(): Promise<NetworkManagerFacts> {
  const bus = await connectBus(systemBusAddress(process.env));
  try {
    return await observeNetworkManager(await openNetworkManager(bus));
  } finally {
    bus.close();
  }
}

export async function askOvsdb(): Promise<OvsFacts> {
  const ovs = await openOpenVSwitch();
  return ovs.facts().finally(() => ovs.close());
}

export async function askVswitchd(): Promise<'responds'> {
  await probeVswitchd();
  return 'responds';
}

export async function askFirewall(): Promise<ZoneSources | null> {
  const { firewalld, close } = await openFirewall();
  try {
    return firewalld === null ? null : await firewalld.sources(trustedZone);
  } finally {
    close();
  }
}
