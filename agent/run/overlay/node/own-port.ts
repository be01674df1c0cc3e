import { openSouthbound } from '../../../drivers/ovn/database.ts';
import { AgentError } from '../../../errors.ts';
import { missingPortText } from '../../../model/missing-port.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { nodeNames } from '../../../overlay/overlay-names.ts';
import { onTerminal, reportedWait, type Say } from '../../reported-wait.ts';
import { type Stopped, stoppable } from '../../stoppable.ts';
import { askController, runsNorthd } from '../ovn/ovn-daemons.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { openCentral } from './planned-node.ts';
import { ownCredentials } from './southbound.ts';

/**
 * Limit for the central node's answer about this node, which takes milliseconds on a LAN. After the limit, the commands
 * show everything else without the answer.
 */
const answerMs = 3_000;

/**
 * Limit for ovn-northd to copy the rows of a new member to the southbound database. It takes milliseconds; 60 s allow
 * for an ovn-northd that is just starting.
 */
const carriedMs = 60_000;

/**
 * Returns the condition for the port of a node's own interface in the southbound database (ovn-sb(5), Port_Binding).
 */
export function portOf(node: string) {
  return { table: 'Port_Binding', where: [['logical_port', '==', nodeNames(node).management]] } as const;
}

/**
 * Returns false if the central node has no port for this member, because it has removed the member from the cluster.
 * Returns null if that is not known: on the central node itself, on a node without pod subnets, and without a
 * connection.
 */
export async function isInCluster(record: OverlayRecord, places: OverlayPlaces): Promise<boolean | null> {
  const { node, members, southbound } = record;
  if (members !== null || node.subnets.length === 0) return null;
  if ((await askController(places)) !== 'connected') return null;
  const asked = openSouthbound(southbound, ownCredentials(places.pki)).then((database) =>
    database.appears(portOf(node.name), 0).finally(() => database.close()),
  );
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), answerMs);
  });
  return Promise.race([asked.catch(() => null), late]).finally(() => clearTimeout(timer));
}

/**
 * Fails with `bundle-unusable` if the central node has no port for the node of a bundle, because it has removed the
 * node from the cluster.
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
 * printed. Reports if ovn-northd does not run on this node, without a wait, or does not copy the port in time. If a
 * signal stops the wait, fails with `interrupted`, which ends with the sentences of `stopped`.
 */
export function waitForPort(name: string, places: OverlayPlaces, say: Say, stopped: Stopped): Promise<void> {
  return stoppable(say, (stop) => awaitPort(name, { ...places, stop }, say), stopped);
}

async function awaitPort(name: string, places: OverlayPlaces, say: Say): Promise<void> {
  const database = await openCentral('OVN_Southbound', places);
  try {
    if (await database.appears(portOf(name), 0)) return;
    if (!(await runsNorthd(places))) {
      say(
        `warning: ovn-northd does not run on this node; until it runs, ${name} has no port and cannot join: systemctl start ovn-northd`,
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
