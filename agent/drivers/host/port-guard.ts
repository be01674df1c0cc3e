import { startSurvivor } from './survivor.ts';

/**
 * Takes the port out when it is told to, or when the pipe it reads from ends without a word, which is what our death does to it; in that
 * case not if NetworkManager has accepted the port's profile by then: the bridge carries the node, or is about to, and NetworkManager's
 * checkpoint knows the way back. It asks the NetworkManager that was told, by its unique name: one that was started since does not know
 * of the port, whatever it takes for active. Words: bridge, port, UUID of the port's profile, unique name.
 */
const script = `bridge=$1 port=$2 uuid=$3 unique=$4 name=org.freedesktop.NetworkManager
ask() { busctl --timeout=2 get-property "$unique" "$@" 2> /dev/null | tr -d '"'; }
if read -r word; then
  [ "$word" = remove ] || exit 0
else
  for path in $(ask /org/freedesktop/NetworkManager "$name" ActiveConnections | grep -o '/[^ ]*'); do
    [ "$(ask "$path" "$name.Connection.Active" Uuid)" != "s $uuid" ] || exit 0
  done
fi
exec ovs-vsctl --timeout=10 --if-exists del-port "$bridge" "$port" > /dev/null`;

/** A port that only we know of, and what NetworkManager shall make of it. */
export interface GuardedPort {
  readonly bridge: string;
  readonly interface: string;
  readonly interfaceProfile: string;
  /** NetworkManager's unique name on the bus. */
  readonly networkManager: string;
}

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
export async function guardPort(port: GuardedPort): Promise<PortGuard> {
  const words = [port.bridge, port.interface, port.interfaceProfile, port.networkManager];
  const { tell } = await startSurvivor(script, words);
  return { release: () => tell('done'), removePort: () => tell('remove') };
}
