import type { Bus } from '../drivers/dbus/bus-connection.ts';
import { endingWith } from '../failures.ts';

/** Connects to the system bus. Rejects with `dbus-unreachable`. */
export async function openSystemBus(): Promise<Bus> {
  // The D-Bus driver is loaded on demand, because the daemon of an overlay needs it at most once.
  const { connectBus, systemBusAddress } = await import('../drivers/dbus/bus-connection.ts');
  return connectBus(systemBusAddress(process.env));
}

/** Runs `work` on the system bus and closes the connection. */
export async function onSystemBus<T>(work: (bus: Bus) => Promise<T>): Promise<T> {
  const bus = await openSystemBus();
  return endingWith(
    () => work(bus),
    () => bus.close(),
  );
}
