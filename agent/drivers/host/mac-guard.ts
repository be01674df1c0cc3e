import { startSurvivor } from './survivor.ts';

/** How long the MAC is watched: NetworkManager's timer, the rollback it starts and LACP, on a busy machine. */
const keepSeconds = 60;

/**
 * Waits for a line, or for our death, which ends the pipe it reads from without a word; then gives an interface its MAC back whenever the
 * kernel announces another one, for so many seconds more than the line says. A MAC that is right already is not set: setting it would be
 * announced, too. systemd may end it with the unit it could not leave: `recover` waits for that, and does the same.
 */
const script = `trap - TERM
seconds=
read -r seconds
[ "$seconds" != done ] || exit 0
keep() { read -r own < "/sys/class/net/$1/address" && [ "$own" = "$2" ] || ip link set dev "$1" address "$2"; }
keep "$@"
timeout --signal=KILL "$((seconds + $3))" ip -o monitor link dev "$1" | while read -r _; do keep "$@"; done`;

export interface MacGuard {
  /** Nothing rolls the change back any more (null), or NetworkManager does so many seconds from now. Counts the first time. */
  readonly decided: (withinSeconds: number | null) => void;
}

/**
 * Watches over the MAC of an interface whose ports leave it. A bond has the MAC of the port that came first; NetworkManager's rollback
 * may bring another one first than the boot did, and a lease hangs on the MAC. The guard is a process of its own and outlives us.
 */
export async function guardMac(interfaceName: string, mac: string): Promise<MacGuard> {
  const { tell } = await startSurvivor(script, [interfaceName, mac.toLowerCase(), String(keepSeconds)]);
  let isDecided = false;
  return {
    decided: (withinSeconds) => {
      if (!isDecided) tell(withinSeconds === null ? 'done' : String(withinSeconds));
      isDecided = true;
    },
  };
}
