import { type Bus, connectBus, systemBusAddress } from '../drivers/dbus/connection.ts';

/** Connects to the system bus, for whoever asks or changes the node. Rejects with `dbus-unreachable`. */
export function openSystemBus(): Promise<Bus> {
  return connectBus(systemBusAddress(process.env));
}

/** Does something on the system bus and closes the connection. */
export async function onSystemBus<T>(work: (bus: Bus) => Promise<T>): Promise<T> {
  const bus = await openSystemBus();
  return work(bus).finally(() => bus.close());
}
