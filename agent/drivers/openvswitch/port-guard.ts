import { once } from 'node:events';

/** Removes the port when the pipe it reads from ends without a word, which is what our death does to it. */
const script = 'read -r _ || exec ovs-vsctl --timeout=10 --if-exists del-port "$0" "$1"';

/**
 * Watches over a port that only we know of. Killed before NetworkManager has taken the NIC, we would leave it in the bridge, which no
 * checkpoint takes back: the node would be cut off. The guard is a process of its own and outlives us; the returned end sends it home.
 */
export async function guardPort(bridge: string, port: string): Promise<() => void> {
  const { spawn } = await import('node:child_process');
  const guard = spawn('sh', ['-c', script, bridge, port], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  guard.on('error', () => undefined); // told by once()
  guard.stdin.on('error', () => undefined); // it was killed: nothing is left to tell it
  await once(guard, 'spawn');
  guard.unref();
  return () => guard.stdin.end('done\n');
}
