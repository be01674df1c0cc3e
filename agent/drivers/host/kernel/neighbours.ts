import { commandMs, run } from '../process/exec.ts';
import { ipBatch } from './ip-batch.ts';

/**
 * Largest number of neighbours that are copied when addresses move to another interface. A node communicates with few
 * hosts of its own LAN: gateways, name servers and its SSH client. More neighbours would only delay the move.
 */
const copiedNeighbours = 16;

interface Neighbour {
  readonly dst: string;
  /** Interface of the neighbour. Absent in the output of ip(8) for a single interface. */
  readonly dev?: string;
  readonly lladdr?: string;
  readonly state?: readonly string[];
}

/**
 * Copies the neighbours of one interface, with their MACs, to another interface. Without the copies, the first packet
 * to each neighbour would wait for neighbour resolution, in which a lost solicitation is repeated only after a second
 * (RFC 4861 section 10, RETRANS_TIMER). Permanent entries of the target stay. Best effort: the kernel resolves an
 * address that was not copied. `isDeaf` means that the source interface receives no replies from now on. The entries of
 * the copied neighbours on the source are then set to reachable, so that for at least 15 s the kernel neither sends
 * solicitations for them nor deletes them; permanent entries stay.
 */
export async function copyNeighbours(from: string, to: string, isDeaf = false): Promise<void> {
  const { exitCode, stdout } = await run('ip', ['-json', 'neigh', 'show'], commandMs);
  if (exitCode !== 0) return;
  const all = parse(stdout);
  const kept = all.filter(({ dev, state = [] }) => dev === to && state.includes('PERMANENT')).map(({ dst }) => dst);
  const known = all
    .filter(({ dev, lladdr, state = [] }) => dev === from && lladdr !== undefined && !state.includes('FAILED'))
    .slice(0, copiedNeighbours);
  await ipBatch(
    known.flatMap(({ dst, lladdr, state = [] }) => [
      // The copied neighbours are stale entries: the kernel uses a stale entry at once, and verifies it after the first
      // packets.
      ...(kept.includes(dst) ? [] : [`neigh replace ${dst} lladdr ${lladdr} dev ${to} nud stale`]),
      ...(isDeaf && !state.includes('PERMANENT')
        ? [`neigh replace ${dst} lladdr ${lladdr} dev ${from} nud reachable`]
        : []),
    ]),
  );
}

/**
 * Reads at most 16 IPv6 neighbours of an interface, none of them permanent, and returns a function that adds them
 * again. The kernel removes them when IPv6 is disabled on the interface (net/ipv6/addrconf.c, addrconf_ifdown). Without
 * these neighbours, a packet that the node sends before its addresses are usable would begin a resolution. The first
 * solicitation of this resolution would fail, because it needs a source address (net/ipv6/ndisc.c, ndisc_send_ns), and
 * the next one would follow only a second later (RFC 4861 section 10, RETRANS_TIMER). Best effort: the kernel resolves
 * an address that was not added.
 */
export async function keepNeighbours(device: string): Promise<() => Promise<void>> {
  const { exitCode, stdout } = await run('ip', ['-6', '-json', 'neigh', 'show', 'dev', device], commandMs);
  const known = (exitCode === 0 ? parse(stdout) : [])
    .filter(({ lladdr, state = [] }) => lladdr !== undefined && !state.includes('FAILED'))
    .filter(({ state = [] }) => !state.includes('PERMANENT'))
    .slice(0, copiedNeighbours);
  return () => ipBatch(known.map(({ dst, lladdr }) => `neigh replace ${dst} lladdr ${lladdr} dev ${device} nud stale`));
}

/** Time limit for reading the neighbours of an interface. It is long enough for a busy machine. */
const reportMs = 15_000;

/**
 * Returns the neighbours on an interface in the states REACHABLE, DELAY and PERMANENT (ip-neighbour(8)), with their
 * MACs. Returns an empty list if ip(8) fails.
 */
export async function answeredNeighbours(
  device: string,
): Promise<readonly { readonly address: string; readonly mac: string }[]> {
  const { exitCode, stdout } = await run('ip', ['-json', 'neigh', 'show', 'dev', device], reportMs);
  if (exitCode !== 0) return [];
  return parse(stdout).flatMap(({ dst, lladdr, state = [] }) => {
    // A stale neighbour is left out: it has answered once, but its MAC may have changed since then.
    const isCurrent = state.some((one) => ['REACHABLE', 'DELAY', 'PERMANENT'].includes(one));
    return lladdr === undefined || !isCurrent ? [] : [{ address: dst, mac: lladdr }];
  });
}

function parse(json: string): readonly Neighbour[] {
  try {
    return JSON.parse(json) as Neighbour[];
  } catch {
    return [];
  }
}
