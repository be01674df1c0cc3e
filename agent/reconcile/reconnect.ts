import { watch } from 'node:fs';
import { type Node, openNode } from '../assemble.ts';
import { type Deadline, monotonicMs, throwIfStopped } from '../deadline.ts';
import { service } from '../drivers/networkmanager/names.ts';
import { asAgentError } from '../errors.ts';

/** systemd restarts NetworkManager and Open vSwitch within seconds; after that somebody has to look anyway. */
const comeBackMs = 30_000;
/** The event that ends a wait can be missed only in the instant before the watch stands; then this asks again. */
const askAgainMs = 1_000;

/** The node's connections if they still work, else new ones, once D-Bus, NetworkManager and Open vSwitch are back. */
export async function reconnectNode(node: Node, deadline: Deadline, say: (message: string) => void): Promise<Node> {
  if (await works(node)) return node;
  const giveUp = monotonicMs() + Math.min(comeBackMs, deadline.remainingMs());
  let said = false;
  for (;;) {
    throwIfStopped(deadline);
    try {
      return await openNode();
    } catch (error) {
      if (monotonicMs() > giveUp) throw error;
      if (!said) say(`waiting for services to come back: ${asAgentError(error).message}`);
      said = true;
      await serviceEvent();
    }
  }
}

async function works(node: Node): Promise<boolean> {
  const owner = {
    destination: 'org.freedesktop.DBus',
    path: '/org/freedesktop/DBus',
    interface: 'org.freedesktop.DBus',
  };
  const alive = node.bus.call({ ...owner, member: 'GetNameOwner', signature: 's', body: [service] });
  return Promise.all([alive, node.nm.profilePaths(), node.ovs.facts()]).then(
    () => true,
    () => false,
  );
}

/** The sockets and pid files of the services appear when they start. */
function serviceEvent(): Promise<void> {
  return new Promise((resolve) => {
    const watchers = ['/run/openvswitch', '/run/dbus', '/run/NetworkManager'].flatMap((directory) => {
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
