import { existsSync } from 'node:fs';
import { removeFile } from '../../../drivers/host/files/files.ts';
import { removeChassis } from '../../../drivers/ovn/database.ts';
import { AgentError, messageOf } from '../../../errors.ts';
import { readHost } from '../../../facts/overlay-host.ts';
import type { OverlayChassis } from '../../../model/overlay.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { recordNow } from '../../../overlay/gateway/own-gateway.ts';
import { membersNow } from '../../../overlay/members/members.ts';
import { overlayTables } from '../../../overlay/rows/overlay-tables.ts';
import { nodeTag } from '../../../overlay/rows/tags.ts';
import { clearRemains, forgetIssued } from '../certificates/authority.ts';
import { pkiFiles } from '../certificates/pki-files.ts';
import { removeConflist } from '../cni/conflist.ts';
import { stopDaemon } from '../daemon/unit.ts';
import { planMembers } from '../node/members-plan.ts';
import { openFromHere } from '../node/open-from-here.ts';
import { withDatabases } from '../node/planned-node.ts';
import { chassisOf, isDirectOnlyIn } from '../node/southbound-rows.ts';
import { carryOut, readRows } from '../ovn/database-rows.ts';
import { centralAnswers } from '../ovn/ovn-daemons.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { removeRecord, requireCentral, requireRecord, writeRecord } from '../record/record.ts';
import { returnAddresses } from './set-gateway.ts';
import { removeRows } from './undo-rows.ts';
import { unpublish } from './unpublish.ts';

/**
 * Text with the work that is left: a command to run on another node, or rows that could not be removed. Null if nothing
 * is left.
 */
export type LeftOver = string | null;

const rowsLeft = "the cluster's rows, in databases of OVN that do not answer";

/**
 * Removes this node from its overlay. The central node has to leave last, and also removes the cluster's rows and the
 * authority. With `isForced`, a central node can leave even if there are other members, or if its databases do not
 * answer.
 */
export async function leaveOverlay(
  places: OverlayPlaces,
  say: (step: string) => void,
  isForced = false,
): Promise<{ readonly record: OverlayRecord; readonly leftOver: LeftOver }> {
  const record = requireRecord(places.record);
  if (!isForced) refuseToCutOff(record);
  const { own, request, authority, authorityKey, nextAuthorityKey, endConnections, issued } = pkiFiles(places.pki);
  const isCentral = record.members !== null;
  // The conflist is removed first, so that no pod starts now and loses its network a moment later.
  if (removeConflist(places.cniConfig)) say('container runtimes start no more pods on this node');
  await stopDaemon(say);
  await returnAddresses(record, null);
  // With `isForced`, a central node leaves even if its databases do not answer, because the rows of these databases
  // have no effect without the central node.
  const isHere = !isCentral || !isForced || (await centralAnswers(places));
  await removeRows(isHere ? record : { ...record, members: null }, places);
  const { kubeconfig } = places;
  const leftOver = isCentral
    ? leftOf([isHere ? null : rowsLeft, await unpublish({ nodeName: record.node.name, kubeconfig }, say)])
    : await unregister(record, places);
  const ofCentral = [
    authorityKey,
    nextAuthorityKey,
    endConnections,
    ...(record.members ?? []).map(({ name }) => issued(name)),
  ];
  const files = [own, request, authority, ...(isCentral ? ofCentral : [])];
  for (const file of files.filter((path) => existsSync(path))) removeFile(file);
  clearRemains(places.pki);
  removeRecord(places.record);
  return { record, leftOver };
}

function leftOf(parts: readonly LeftOver[]): LeftOver {
  const left = parts.filter((part) => part !== null);
  return left.length === 0 ? null : left.join('; and ');
}

/** Fails with `overlay-conflict` for a central node whose cluster has other members. */
export function refuseToCutOff(record: OverlayRecord): void {
  const others = otherMembers(record);
  if (others.length === 0) return;
  throw new AgentError('overlay-conflict', `${others.join(', ')} would be without their central node`, {
    hint: 'take them out first: `microshift-net overlay leave` on each, then here with --node NAME; or, to leave them cut off: `microshift-net overlay disable --force`',
    facts: { others },
  });
}

/** Returns the names of the other members; empty except on a central node. */
export function otherMembers({ members, node }: OverlayRecord): readonly string[] {
  return (members ?? []).map(({ name }) => name).filter((name) => name !== node.name);
}

/**
 * Removes the Chassis row of this node, in case ovn-controller has crashed without removing it. A node has the right to
 * remove its own row (ovn-sb(5), RBAC_Role). Returns a text with the command that has to be run on the central node;
 * the text also names the failure if the row could not be removed.
 */
async function unregister({ node, southbound }: OverlayRecord, { pki }: OverlayPlaces): Promise<LeftOver> {
  const rest = `on the central node, run: microshift-net overlay leave --node ${node.name}`;
  try {
    const database = await openFromHere(southbound, pki);
    await removeChassis(database, node.systemId).finally(() => database.close());
    return rest;
  } catch (error) {
    return `the central node could not be notified (${messageOf(error)}); ${rest}`;
  }
}

/**
 * Removes another node from the cluster. Runs on the central node; the other node need not exist any more. Also removes
 * a node that is not a member but has rows of the cluster or is registered as a chassis.
 */
export async function expelNode(name: string, places: OverlayPlaces): Promise<void> {
  const record = requireCentral(places.record);
  if (name === record.node.name) {
    throw new AgentError('overlay-conflict', `${name} is this node itself`, {
      hint: 'run `microshift-net overlay leave` without --node',
    });
  }
  const members = record.members.filter((one) => one.name !== name);
  const { ports = [], ...others } = record;
  const left = ports.filter(({ node }) => node !== name);
  const wanted = { ...others, members, ...(left.length > 0 && { ports: left }) };
  const systemId = record.members.find((one) => one.name === name)?.systemId;
  await withDatabases(record, places, async ([, northbound, southbound]) => {
    if (northbound === undefined || southbound === undefined) return;
    const rows = await readRows(northbound, overlayTables.OVN_Northbound);
    const below = await readRows(southbound, overlayTables.OVN_Southbound);
    const chassis = chassisOf(below);
    // A chassis with the system-id of another member stays, even if its hostname is the name of the removed node.
    const otherIds = members.map((one) => one.systemId);
    const isIts = (one: OverlayChassis): boolean => one.name === systemId || [one.name, one.hostname].includes(name);
    const going = chassis.filter((one) => isIts(one) && !otherIds.includes(one.name));
    const hasRows = ['Logical_Switch', 'Logical_Router']
      .flatMap((table) => rows.tables[table] ?? [])
      .some((row) => nodeTag(row, record.layout.owner) === name);
    if (systemId === undefined && going.length === 0 && !hasRows) {
      throw new AgentError('overlay-conflict', `${name} is not in the cluster`, {
        hint: `its other nodes: ${otherMembers(record).join(', ') || 'none'}`,
      });
    }
    const rest = chassis.filter((one) => !going.includes(one));
    for (const one of going) await removeChassis(southbound, one.name);
    const { nodes } = membersNow(
      wanted.layout,
      recordNow(wanted, readHost()).node,
      members,
      rest,
      places.encapsulation !== 'always',
    );
    const isDirectOnly = places.encapsulation === 'never' && isDirectOnlyIn(below);
    await carryOut(northbound, planMembers(wanted, nodes, [name], rows, { isDirectOnly }), rows);
    writeRecord(places.record, wanted);
    forgetIssued(places.pki, name);
  });
}
