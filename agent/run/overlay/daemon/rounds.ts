import { askNextNumber, openCentralDatabase } from '../../../drivers/ovn/database.ts';
import type { OverlayNode } from '../../../model/overlay.ts';
import { judgeGateways, nextRound } from '../../../overlay/heartbeat.ts';
import type { OverlayPlaces } from '../places.ts';
import { readRows } from '../rows.ts';

/** Gateways are asked this often whether they are there; three rounds make one that is silent for 10 to 15 s. */
const roundMs = 5_000;

/** The result of a round of questions. */
interface Round {
  /** The numbers asked for so far, for the next round. */
  readonly asked: readonly number[];
  /** The names of gateways that are down. */
  readonly down: readonly string[];
}

/** Rounds of questions, for as long as there are gateways to choose from. */
export interface Rounds {
  /** These are asked from now on; with fewer than two nobody is. */
  ask(gateways: readonly OverlayNode[]): void;
  close(): void;
}

/** `note` is given the numbers that were asked, and `onChange` called after, when another gateway is up or down. */
export function createRounds(
  places: OverlayPlaces,
  before: readonly number[],
  note: (asked: readonly number[]) => void,
  onChange: () => void,
): Rounds {
  let asked = before;
  let gateways: readonly OverlayNode[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const round = async (): Promise<void> => {
    const done = await askGateways(gateways, asked, places).catch(() => null);
    if (isClosed) return;
    if (done !== null) {
      asked = done.asked;
      note(asked);
      const down = gateways.filter(({ gateway }) => gateway?.isUp === false).map(({ name }) => name);
      if (down.join() !== done.down.join()) onChange();
    }
    timer = gateways.length < 2 ? undefined : setTimeout(() => void round(), roundMs);
  };
  return {
    ask: (wanted) => {
      gateways = wanted;
      if (gateways.length > 1 && timer === undefined && !isClosed) timer = setTimeout(() => void round(), roundMs);
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Looks which gateways have answered, and asks again: NB_Global.nb_cfg (ovn-nb(5)) is counted up, ovn-northd hands it on, and every ovn-controller
 * answers by its chassis. On the central node; null: its databases do not answer.
 */
async function askGateways(
  members: readonly OverlayNode[],
  before: readonly number[],
  { ovnRuns }: OverlayPlaces,
): Promise<Round | null> {
  const southbound = await openCentralDatabase('OVN_Southbound', ovnRuns).catch(() => null);
  if (southbound === null) return null;
  const rows = await readRows(southbound, ['SB_Global', 'Chassis_Private']).finally(() => southbound.close());
  const northbound = await openCentralDatabase('OVN_Northbound', ovnRuns);
  if (northbound === null) return null;
  await askNextNumber(northbound).finally(() => northbound.close());
  const asked = nextRound(before, rows);
  const down = judgeGateways(members, asked, rows).filter(({ gateway }) => gateway?.isUp === false);
  return { asked, down: down.map(({ name }) => name) };
}
