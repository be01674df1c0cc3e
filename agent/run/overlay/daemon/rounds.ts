import { askNextNumber, openCentralDatabase } from '../../../drivers/ovn/database.ts';
import type { OverlayNode } from '../../../model/overlay.ts';
import { answeredSinceMove } from '../../../overlay/gateway/answered-since.ts';
import { judgeGateways, nextRound } from '../../../overlay/members/heartbeat.ts';
import { readRows } from '../ovn/database-rows.ts';
import type { OverlayPlaces } from '../record/places.ts';

/**
 * Interval of the rounds. In each round, the central node requests an answer from all gateways. A gateway counts as
 * down if it has not answered the request of three rounds ago. A gateway that stops therefore counts as down after 15
 * to 20 s.
 */
const roundMs = 5_000;

/** Result of one round of requests to the gateways. */
interface Round {
  /** Requested values of NB_Global.nb_cfg, which the next round needs. */
  readonly asked: readonly number[];
  /** Names of the gateways that are down. */
  readonly down: readonly string[];
  /** Names of the gateways that have answered since the central node took over a shared address. */
  readonly back: readonly string[];
}

/**
 * Rounds of requests to the gateways, by which the central node notices that a gateway is down. A round takes place
 * every 5 s while there are at least two gateways.
 */
export interface Rounds {
  /** Sets the gateways of the following rounds. No further round takes place if there are fewer than two gateways. */
  ask(gateways: readonly OverlayNode[]): void;
  close(): void;
}

/**
 * Creates the rounds of requests to the gateways. After each round in which the databases of this node answered, calls
 * `note` with the requested values of nb_cfg, and calls `onChange` if a gateway went up or down, or if a gateway has
 * answered for the first time since the central node took over a shared address.
 */
export function createRounds(
  places: OverlayPlaces,
  before: readonly number[],
  note: (asked: readonly number[]) => void,
  onChange: () => void,
): Rounds {
  let asked = before;
  let gateways: readonly OverlayNode[] = [];
  let back: readonly string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const round = async (): Promise<void> => {
    const done = await askGateways(gateways, asked, places).catch(() => null);
    if (isClosed) return;
    if (done !== null) {
      asked = done.asked;
      note(asked);
      const down = gateways.filter(({ gateway }) => gateway?.isUp === false).map(({ name }) => name);
      if (down.join() !== done.down.join() || done.back.some((name) => !back.includes(name))) onChange();
      ({ back } = done);
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
 * Determines which gateways have answered, and requests the next answer. Increments NB_Global.nb_cfg (ovn-nb(5)), which
 * ovn-northd copies to the southbound database and every ovn-controller to its Chassis_Private row. Runs on the central
 * node. Returns null or throws if the databases of this node do not answer.
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
  const above = await readRows(northbound, ['Gateway_Chassis'])
    .then(async (found) => {
      await askNextNumber(northbound);
      return found;
    })
    .finally(() => northbound.close());
  const asked = nextRound(before, rows);
  const down = judgeGateways(members, asked, rows).filter(({ gateway }) => gateway?.isUp === false);
  return { asked, down: down.map(({ name }) => name), back: answeredSinceMove(members, above, rows) };
}
