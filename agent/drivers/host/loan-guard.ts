import { startSurvivor } from './survivor.ts';

/**
 * Shows NetworkManager a bridge again when the pipe it reads from ends without a word, which is what our death does to it. Only once it
 * was told that NetworkManager has begun to run the NIC's own profile, the NIC leaves the bridge, too: until then it is the bridge's
 * port for NetworkManager, which would never put it back. Words: bridge, port, UUID of the bridge's profile, key that keeps it meanwhile.
 */
const script = `bridge=$1 port=$2 owner=$3 mark=$4
back() {
  exec ovs-vsctl --timeout=10 "$@" -- set bridge "$bridge" "external_ids:NM.connection.uuid=$owner" \\
    -- remove bridge "$bridge" external_ids "$mark" > /dev/null
}
read -r word || back
[ "$word" = begun ] || exit 0
read -r _ || back --if-exists del-port "$bridge" "$port"`;

/** A bridge whose owner NetworkManager is not to see for a while. */
export interface BorrowedBridge {
  readonly bridge: string;
  /** UUID of the bridge's profile. */
  readonly bridgeProfile: string;
  /** External id that keeps it meanwhile. */
  readonly markKey: string;
  /** The NIC in it. */
  readonly interface: string;
}

export interface LoanGuard {
  /** NetworkManager runs the NIC's own profile. */
  readonly begun: () => void;
  /** The bridge is NetworkManager's again. */
  readonly release: () => void;
  /** Nobody knows whether it is. */
  readonly giveBack: () => void;
}

/**
 * Watches over a bridge that is hidden from NetworkManager: killed meanwhile, we would leave the NIC in it. To be started before it is
 * hidden. The guard is a process of its own and outlives us.
 */
export async function guardLoan(loan: BorrowedBridge): Promise<LoanGuard> {
  const words = [loan.bridge, loan.interface, loan.bridgeProfile, loan.markKey];
  const { say, tell, hangUp } = await startSurvivor(script, words);
  return { begun: () => say('begun'), release: () => tell('done'), giveBack: hangUp };
}
