import { existsSync } from 'node:fs';
import { AgentError } from '../../errors.ts';
import type { OverlayNode } from '../../model/overlay.ts';
import type { OverlayBundle, OverlayRecord } from '../../model/overlay-record.ts';
import { installOwn, issueFor, pkiFiles, readAuthority, rememberIssued } from './authority.ts';
import { assigned } from './membership.ts';
import { isNodeName, isSystemId } from './name-forms.ts';
import type { OverlayPlaces } from './places.ts';
import { withPlan } from './planned.ts';
import { requireCentral, writeRecord } from './record.ts';
import { carryOut } from './rows.ts';

/** What is asked for with `pki issue`. */
export interface IssueOptions {
  readonly name: string;
  readonly systemId: string;
  readonly days: number;
}

/**
 * Makes a node a member of the cluster, with a part of its subnet, and gives what it joins with. Its rows are written before it joins: it may not
 * write any itself.
 */
export async function issueBundle(options: IssueOptions, places: OverlayPlaces): Promise<OverlayBundle> {
  const { systemId, days } = options;
  // A host may be written with capitals; a node may not.
  const name = options.name.toLowerCase();
  const record = requireCentral(places.record);
  refuseNames(name, systemId);
  const present = record.members.find((member) => member.name === name);
  // One that never got its certificate is of a run that was cut off, and gets it now.
  const isBegun = present?.systemId === systemId && !existsSync(pkiFiles(places.pki).issued(name));
  if (present !== undefined && !isBegun) {
    const hint = `for a new certificate, run: microshift-net overlay pki renew ${name}; if it is another machine now, first: microshift-net overlay leave --node ${name}`;
    throw new AgentError('overlay-conflict', `${name} is in the cluster already`, { hint });
  }
  const member: OverlayNode = present ?? {
    name,
    systemId,
    ...assigned(record.layout, record.members, name),
    encap: { types: record.node.encap.types, addresses: [] },
    managementMac: null,
    hostAddresses: [],
    gateway: null,
  };
  const wanted = { ...record, members: [...record.members.filter((one) => one !== present), member] };
  return withPlan(wanted, places, async ({ databases }) => {
    // The plan has refused what can be refused. The certificate first: without it the rows would be for nobody.
    const bundle = await sign(wanted, member, 'issue', days, places);
    // Before the rows: whoever is issued next must not be given what they have taken.
    writeRecord(places.record, wanted);
    try {
      for (const { database, plan, rows } of databases.filter((one) => one.plan.database === 'OVN_Northbound'))
        await carryOut(database, plan, rows);
    } catch (error) {
      writeRecord(places.record, record);
      throw error;
    }
    rememberIssued(places.pki, name, bundle.pem.certificate);
    return bundle;
  });
}

/** A new certificate for a member: a bundle to join with again, or, for the central node itself, put in place at once (null). */
export async function renewBundle(
  name: string | undefined,
  days: number,
  places: OverlayPlaces,
): Promise<OverlayBundle | null> {
  const record = requireCentral(places.record);
  const wanted = name ?? record.node.name;
  const member = record.members.find((one) => one.name === wanted);
  if (member === undefined) {
    throw new AgentError('overlay-conflict', `${wanted} is not in the cluster`, {
      hint: `its nodes: ${record.members.map((one) => one.name).join(', ')}`,
    });
  }
  const bundle = await sign(record, member, 'renew', days, places);
  if (member.name === record.node.name) {
    installOwn(places.pki, bundle.pem, bundle.pem.authority);
    return null;
  }
  rememberIssued(places.pki, member.name, bundle.pem.certificate);
  return bundle;
}

async function sign(
  { format, layout, southbound }: OverlayRecord,
  node: OverlayNode,
  mode: 'issue' | 'renew',
  days: number,
  { pki }: OverlayPlaces,
): Promise<OverlayBundle> {
  const { key, certificate } = await issueFor(pki, node, mode, days);
  const authority = readAuthority(pki).certificate;
  return { format, layout, southbound, node, pem: { key, certificate, authority } };
}

function refuseNames(name: string, systemId: string): void {
  if (!isNodeName(name)) {
    const hint = 'write the name of the kubelet: small letters, digits, hyphens and dots';
    throw new AgentError('bad-usage', `"${name}" cannot be the name of a node`, { hint });
  }
  if (isSystemId(systemId)) return;
  throw new AgentError('bad-usage', `"${systemId}" cannot be a system-id`, {
    hint: `write what ${name} has in /etc/openvswitch/system-id.conf`,
  });
}
