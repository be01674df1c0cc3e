import { outlive } from './exec.ts';

/** Removes the port when the pipe it reads from ends without a word, which is what our death does to it. */
const script = 'read -r _ || exec ovs-vsctl --timeout=10 --if-exists del-port "$0" "$1"';

/**
 * Watches over a port that only we know of. Killed before NetworkManager has taken the NIC, we would leave it in the bridge, which no
 * checkpoint takes back: the node would be cut off. The guard is a process of its own and outlives us; the returned end sends it home.
 */
export async function guardPort(bridge: string, port: string): Promise<() => void> {
  const tell = await outlive('sh', ['-c', script, bridge, port]);
  return () => tell('done');
}
