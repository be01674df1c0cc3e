import { existsSync } from 'node:fs';
import { removeFile } from '../../drivers/host/files.ts';
import { openSouthbound, removeChassis } from '../../drivers/ovn/database.ts';
import { AgentError, messageOf } from '../../errors.ts';
import type { OverlayRecord } from '../../model/overlay-record.ts';
import { forgetIssued, pkiFiles } from './authority.ts';
import type { OverlayPlaces } from './places.ts';
import { planMembers, tlsFiles, withPlan } from './planned.ts';
import { removeRecord, requireCentral, requireRecord, writeRecord } from './record.ts';
import { carryOut } from './rows.ts';
import { removeRows } from './undo.ts';
import { stopDaemon } from './unit.ts';

/** What is left to do elsewhere; null: nothing. */
export type LeftOver = string | null;

/** Takes this node out of its overlay. The central node goes last, and takes databases' rows and the authority along. */
export async function leaveOverlay(
  places: OverlayPlaces,
  say: (step: string) => void,
): Promise<{ readonly record: OverlayRecord; readonly leftOver: LeftOver }> {
  const record = requireRecord(places.record);
  const others = (record.members ?? []).filter(({ name }) => name !== record.node.name);
  if (others.length > 0) {
    throw new AgentError(
      'overlay-conflict',
      `${others.map(({ name }) => name).join(', ')} would be without their central node`,
      {
        hint: 'take them out first: `microshift-net overlay leave` on each, then here with --node NAME',
      },
    );
  }
  const { own, authority, authorityKey, issued } = pkiFiles(places.pki);
  const isCentral = record.members !== null;
  await stopDaemon(say);
  await removeRows(record, places);
  const leftOver = isCentral ? null : await unregister(record, places);
  const files = isCentral ? [own, authorityKey, authority, issued(record.node.name)] : [own, authority];
  for (const file of files.filter((path) => existsSync(path))) removeFile(file);
  removeRecord(places.record);
  return { record, leftOver };
}

/** A node may take out its own registration (ovn-sb(5), RBAC_Role); ovn-controller has done so unless it was dead. */
async function unregister({ node, southbound }: OverlayRecord, { pki }: OverlayPlaces): Promise<LeftOver> {
  const rest = `on the central node, run: microshift-net overlay leave --node ${node.name}`;
  const { privateKey, certificate, caCertificate } = tlsFiles(pki);
  try {
    const database = await openSouthbound(southbound, { privateKey, certificate, ca: caCertificate });
    await removeChassis(database, node.systemId).finally(() => database.close());
    return rest;
  } catch (error) {
    return `the central node was not told (${messageOf(error)}); ${rest}`;
  }
}

/** Takes another node out of the cluster, whether it still is there or not. On the central node. */
export async function expelNode(name: string, places: OverlayPlaces): Promise<void> {
  const record = requireCentral(places.record);
  const member = record.members.find((one) => one.name === name);
  if (member === undefined || name === record.node.name) {
    const what = member === undefined ? `${name} is not in the cluster` : `${name} is this node itself`;
    const others = record.members.map((one) => one.name).filter((one) => one !== record.node.name);
    throw new AgentError('overlay-conflict', what, {
      hint:
        member === undefined
          ? `its other nodes: ${others.join(', ') || 'none'}`
          : 'run `microshift-net overlay leave` without --node',
    });
  }
  const members = record.members.filter((one) => one.name !== name);
  const wanted = { ...record, members };
  await withPlan(wanted, places, async ({ databases, chassis }) => {
    for (const { database, rows } of databases) {
      if (database.name === 'OVN_Southbound') await removeChassis(database, member.systemId);
      if (database.name === 'OVN_Northbound')
        await carryOut(
          database,
          planMembers(
            wanted,
            members,
            [name],
            chassis.filter((one) => one.name !== member.systemId),
            rows,
          ),
          rows,
        );
    }
    writeRecord(places.record, wanted);
    forgetIssued(places.pki, name);
  });
}
