import { AgentError, messageOf } from '../../../errors.ts';
import { type Membership, missingPortText } from '../../../model/missing-port.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { nodeNames } from '../../../overlay/overlay-names.ts';
import { onTerminal, reportedWait, type Say } from '../../reported-wait.ts';
import { askController, runsNorthd } from '../ovn/ovn-daemons.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { openFromHere } from './open-from-here.ts';
import { openCentral } from './planned-node.ts';

/**
 * Time limit for the central node's answer about this node, which takes milliseconds on a LAN. After the limit, the
 * commands show the other facts without the answer.
 */
const answerMs = 3_000;

/**
 * Time limit for ovn-northd to copy the rows of a new member to the southbound database. ovn-northd takes milliseconds;
 * 60 s allow for an ovn-northd that is just starting.
 */
const carriedMs = 60_000;

/** Returns the row that appears when the southbound database has a node's management port (ovn-sb(5), Port_Binding). */
export function portOf(node: string) {
  return { table: 'Port_Binding', where: [['logical_port', '==', nodeNames(node).management]] } as const;
}

/**
 * Asks the central node whether it has a management port for this member, which a removed member does not have. Does
 * not ask on the central node itself, or on a node without pod subnets. Returns the reason if the central node cannot
 * be asked, or does not answer within `limitMs`.
 */
export async function readMembership(
  record: OverlayRecord,
  places: OverlayPlaces,
  limitMs = answerMs,
): Promise<Membership> {
  const { node, members, southbound } = record;
  if (members !== null || node.subnets.length === 0) return { state: 'not-applicable' };
  const where = southbound.join(', ');
  // The state of ovn-controller is read first, because it shows at once that a central node is unreachable. A query to
  // a central node without power would delay every command until the time limit of the query.
  if ((await askController(places)) === 'not connected')
    return { state: 'unknown', why: `ovn-controller does not reach ${where}` };
  const why = `${where} did not answer within ${limitMs / 1000} s`;
  return withinAnswerLimit<Membership>(askCentral(record, places), { state: 'unknown', why }, limitMs);
}

/** Waits for an answer of the central node up to a time limit, after which it returns `otherwise`. */
export async function withinAnswerLimit<T>(answer: Promise<T>, otherwise: T, limitMs = answerMs): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), limitMs);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

async function askCentral({ node, southbound }: OverlayRecord, { pki }: OverlayPlaces): Promise<Membership> {
  try {
    const database = await openFromHere(southbound, pki);
    const hasPort = await database.appears(portOf(node.name), 0).finally(() => database.close());
    return { state: hasPort ? 'member' : 'removed' };
  } catch (error) {
    return { state: 'unknown', why: messageOf(error) };
  }
}

/**
 * Fails with `bundle-unusable` if the central node has no management port for the node of a bundle: the node was taken
 * out of the cluster there, or its rows are not written yet.
 */
export function refuseWithoutPort(
  name: string,
  hasPort: boolean,
  hint = `make a new bundle on the central node: microshift-net overlay pki issue ${name}`,
): void {
  if (hasPort) return;
  throw new AgentError('bundle-unusable', missingPortText(name), { hint, facts: { node: name } });
}

/**
 * Waits until a new member's port is in the southbound database, so that its bundle can be used as soon as it is
 * printed. If ovn-northd is not running on this node, reports that and does not wait. Also reports an ovn-northd that
 * does not copy the port in time. `places.stop` ends the wait.
 */
export async function waitForPort(name: string, places: OverlayPlaces, say: Say): Promise<void> {
  const database = await openCentral('OVN_Southbound', places);
  try {
    if (await database.appears(portOf(name), 0)) return;
    if (!(await runsNorthd(places))) {
      say(
        `warning: ovn-northd is not running on this node; until it runs, ${name} has no port and cannot join: systemctl start ovn-northd`,
      );
      return;
    }
    const waiting = `waiting up to ${carriedMs / 1000} s until ovn-northd has a port for ${name}`;
    if (await reportedWait(waiting, onTerminal(say), () => database.appears(portOf(name), carriedMs))) return;
    say(
      `warning: ovn-northd has no port for ${name} yet, and the node cannot join before: systemctl status ovn-northd`,
    );
  } finally {
    database.close();
  }
}
