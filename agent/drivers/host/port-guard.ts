import { outlive } from './exec.ts';

/** Removes the port when the pipe it reads from ends without a word, which is what our death does to it. */
const script = 'read -r _ || exec ovs-vsctl --timeout=10 --if-exists del-port "$0" "$1"';

export interface PortGuard {
  /** NetworkManager has the port now. */
  readonly release: () => void;
  /** NetworkManager will not take the port, or nobody knows: it goes, whether or not it is there. */
  readonly removePort: () => void;
}

/**
 * Watches over a port that only we know of. Killed before NetworkManager has taken the NIC, we would leave it in the bridge, which no
 * checkpoint takes back: the node would be cut off. The guard is a process of its own and outlives us.
 */
export async function guardPort(bridge: string, port: string): Promise<PortGuard> {
  const { tell, hangUp } = await outlive('sh', ['-c', script, bridge, port]);
  return { release: () => tell('done'), removePort: hangUp };
}
