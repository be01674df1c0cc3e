import { watch } from 'node:fs';

/**
 * Longest wait for an event in the directory of a service. An event just before the watch of the directory begins is
 * missed, so the caller checks the service again after this time.
 */
const askAgainMs = 1_000;
/** Directories in which the sockets and pid files of the services are created when they start. */
const directories = ['/run/openvswitch', '/run/ovn', '/run/dbus', '/run/NetworkManager'];

/**
 * Resolves when D-Bus, NetworkManager, Open vSwitch or OVN has created, changed or removed a file in its directory
 * below /run, and after a second at the latest.
 */
export function serviceEvent(): Promise<void> {
  return new Promise((resolve) => {
    const watchers = directories.flatMap((directory) => {
      try {
        return [watch(directory, done).on('error', done)];
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
