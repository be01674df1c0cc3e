import { outlive } from './exec.ts';

/** How long the MAC is watched: NetworkManager's timer, the rollback it starts and LACP, on a busy machine. */
const keepSeconds = '60';

/**
 * Waits for the pipe it reads from to end without a word, which is what our death does to it, and then gives an interface its MAC back
 * whenever the kernel announces another one. systemd ends what a stopping unit has left with SIGTERM: until we are done that must not
 * reach it, later it may. A MAC that is right already is not set: setting it would be announced, too.
 */
const script = `trap "" TERM; read -r _ && exit; trap - TERM
keep() { read -r own < "/sys/class/net/$1/address" && [ "$own" = "$2" ] || ip link set dev "$1" address "$2"; }
keep "$@"
timeout --signal=KILL "$3" ip -o monitor link dev "$1" | while read -r _; do keep "$@"; done`;

export interface MacGuard {
  /** The interface need not have its MAC any more: the change stays. */
  readonly release: () => void;
  /** The interface gets its MAC back from now on, for a minute. */
  readonly restore: () => void;
}

/**
 * Watches over the MAC of an interface whose ports leave it. A bond has the MAC of the port that came first; NetworkManager's rollback
 * may bring another one first than the boot did, and a lease hangs on the MAC. The guard is a process of its own and outlives us.
 */
export async function guardMac(interfaceName: string, mac: string): Promise<MacGuard> {
  const { tell, hangUp } = await outlive('sh', ['-c', script, 'sh', interfaceName, mac.toLowerCase(), keepSeconds]);
  return { release: () => tell('done'), restore: hangUp };
}
