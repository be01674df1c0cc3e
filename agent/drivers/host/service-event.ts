import { watch } from 'node:fs';

/** The event that ends a wait can be missed only in the instant before the watch stands; then this asks again. */
const askAgainMs = 1_000;
/** The sockets and pid files of the services appear here when they start. */
const directories = ['/run/openvswitch', '/run/ovn', '/run/dbus', '/run/NetworkManager'];

/** Resolves when D-Bus, NetworkManager, Open vSwitch or OVN has put down or removed a file, after a second at the latest. */
export function serviceEvent(): Promise<void> {
  return new Promise((resolve) => {
    const watchers = directories.flatMap((directory) => {
      try {
        return [watch(directory, done)];
      } catch {
        return [];
      }
    });
    const timer = setTimeout(done, askAgainMs);
    function done(): void {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
      resolve();
    }
  });
}
