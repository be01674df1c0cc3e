import { run } from './exec.ts';
import { ipBatch } from './ip-batch.ts';

/** ip(8) answers in milliseconds; the kernel does not wait for anything here. */
const commandMs = 3_000;
/** A node talks to few hosts of its own LAN: gateways, name servers, its SSH client. More would only delay the move. */
const copiedNeighbours = 16;

interface Neighbour {
  readonly dst: string;
  readonly dev: string;
  readonly lladdr?: string;
  readonly state?: readonly string[];
}

/**
 * Tells one interface the link-layer addresses that another one knows. Without, its first packet has to ask for them, and a question
 * that is lost is asked again only after a second (RFC 4861 section 10, RETRANS_TIMER). What somebody has told it for good stays. Best effort: whoever
 * is not told asks. `isDeaf`: the one that knows them hears no answers from now on. What it knows counts as confirmed, so that it does not ask in vain, and
 * forget them, for the next 15 s and more.
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
      // Stale: used at once, and asked about again behind the first packets.
      ...(kept.includes(dst) ? [] : [`neigh replace ${dst} lladdr ${lladdr} dev ${to} nud stale`]),
      ...(isDeaf && !state.includes('PERMANENT')
        ? [`neigh replace ${dst} lladdr ${lladdr} dev ${from} nud reachable`]
        : []),
    ]),
  );
}

/** Neighbours on an interface that have answered, with the MACs that they have answered with; none where ip(8) does not say. */
export async function answeredNeighbours(
  device: string,
): Promise<readonly { readonly address: string; readonly mac: string }[]> {
  const { exitCode, stdout } = await run('ip', ['-json', 'neigh', 'show', 'dev', device], commandMs);
  if (exitCode !== 0) return [];
  return parse(stdout).flatMap(({ dst, lladdr, state = [] }) => {
    // Stale ones have answered, and may have changed since.
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
