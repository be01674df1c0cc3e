import { startSurvivor } from './survivor.ts';

/** Runs ovs-vsctl when the pipe it reads from ends without a word, which is what our death does to it. */
const script = 'read -r _ || exec ovs-vsctl --timeout=10 "$@" > /dev/null';

export interface PortGuard {
  /** NetworkManager knows what to do with the port now. */
  readonly release: () => void;
  /** NetworkManager will not take the port, or nobody knows: it goes, whether or not it is there. */
  readonly removePort: () => void;
}

/**
 * Watches over a port that only we know of. Killed before NetworkManager has taken the NIC, we would leave the NIC in the bridge, which no
 * checkpoint takes back: the node would be cut off. The guard is a process of its own and outlives us.
 */
export async function guardPort(bridge: string, port: string): Promise<PortGuard> {
  const { tell, hangUp } = await startSurvivor(script, ['--if-exists', 'del-port', bridge, port]);
  return { release: () => tell('done'), removePort: hangUp };
}
