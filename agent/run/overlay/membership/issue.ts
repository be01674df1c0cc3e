import { existsSync } from 'node:fs';
import { AgentError } from '../../../errors.ts';
import { failedThen } from '../../../failures.ts';
import type { GatewayGrant, OverlayChassis, OverlayLayout, OverlayNode } from '../../../model/overlay.ts';
import type { OverlayBundle, OverlayRecord } from '../../../model/overlay-record.ts';
import { isIpv6 } from '../../../overlay/addresses.ts';
import { addressesFault, subnetFault } from '../../../overlay/members/announcement.ts';
import { nothingGranted } from '../../../overlay/members/grants.ts';
import {
  issueFor,
  readAuthority,
  readOwnAuthority,
  refuseSecond,
  rememberIssued,
  signFor,
} from '../certificates/authority.ts';
import { pkiFiles } from '../certificates/pki-files.ts';
import { renewOwn } from '../node/certificate-renewal.ts';
import { assigned } from '../node/membership.ts';
import { withPlan } from '../node/planned-node.ts';
import { carryOut } from '../ovn/database-rows.ts';
import { isNodeName, isSystemId } from '../record/name-forms.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { requireCentral, writeRecord } from '../record/record.ts';

/** Arguments of `overlay pki issue`. */
export interface IssueOptions {
  readonly name: string;
  readonly systemId: string;
  readonly days: number;
  /** Addresses and subnets that the member's gateway may use besides its tunnel address. */
  readonly granted: GatewayGrant;
  /** Certificate request of the node, as PEM; null if the central node has to create the key. */
  readonly request: string | null;
}

/**
 * Makes a node a member of the cluster, assigns a number and subnets to it, and returns the bundle with which it joins.
 * Writes the northbound rows of the node before it joins, because a member may not write to the northbound database.
 * `places.stop` can end the work only before the record and the rows are written, so that a signal does not interrupt
 * the writes.
 */
export async function issueBundle(options: IssueOptions, places: OverlayPlaces): Promise<OverlayBundle> {
  const { systemId, days, granted, request } = options;
  // The name is in lower case, because hostnames may contain capital letters and node names may not.
  const name = options.name.toLowerCase();
  const record = requireCentral(places.record);
  refuseNames(name, systemId);
  const present = record.members.find((member) => member.name === name);
  // Only an interrupted run leaves a member without a certificate. In this case, the present run issues the
  // certificate.
  const isBegun = present?.systemId === systemId && !existsSync(pkiFiles(places.pki).issued(name));
  if (present !== undefined && !isBegun) {
    const hint = `for a new certificate, run: microshift-net overlay pki renew ${name}; if it is another machine now, first: microshift-net overlay leave --node ${name}`;
    throw new AgentError('overlay-conflict', `${name} is in the cluster already`, { hint });
  }
  refuseGrant(granted, record.layout);
  const member: OverlayNode = {
    ...(present ?? {
      name,
      systemId,
      ...assigned(record.layout, record.members, name),
      encap: { types: record.node.encap.types, addresses: [] },
      managementMac: null,
      hostAddresses: [],
      gateway: null,
    }),
    ...(granted.addresses.length + granted.subnets.length > 0 && { granted }),
  };
  const wanted = { ...record, members: [...record.members.filter((one) => one !== present), member] };
  const reading = followedUntilWrites(places.stop);
  return withPlan(wanted, { ...places, stop: reading.signal }, async ({ chassis, databases }) => {
    refuseRegistered(chassis, name, systemId);
    // The certificate is issued after the plan, because the plan refuses an impossible member. It is issued before the
    // rows are written, because the rows are useless without a certificate.
    const bundle = await sign(wanted, member, request, 'issue', days, places);
    places.stop?.throwIfAborted();
    reading.end();
    // The record is written before the rows, so that a later run does not assign the same subnet to another node.
    writeRecord(places.record, wanted);
    try {
      for (const { database, plan, rows } of databases.filter((one) => one.plan.database === 'OVN_Northbound'))
        await carryOut(database, plan, rows);
    } catch (error) {
      throw await failedThen(error, () => writeRecord(places.record, record));
    }
    rememberIssued(places.pki, name, bundle.pem.certificate, request ?? '');
    return bundle;
  });
}

/**
 * Returns a signal that is aborted when `stop` is aborted, unless `end` was called before. The caller calls `end`
 * before work that must not be stopped.
 */
function followedUntilWrites(stop: AbortSignal | undefined): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const giveUp = (): void => controller.abort(stop?.reason);
  stop?.addEventListener('abort', giveUp);
  return { signal: controller.signal, end: () => stop?.removeEventListener('abort', giveUp) };
}

/**
 * Issues a new certificate for a member and returns the bundle with which it joins again. For the central node,
 * installs the new certificate at once and returns null.
 */
export async function renewBundle(
  name: string | undefined,
  days: number,
  request: string | null,
  places: OverlayPlaces,
): Promise<OverlayBundle | null> {
  const record = requireCentral(places.record);
  const wanted = name ?? record.node.name;
  const member = requireMember(record, wanted);
  if (member.name === record.node.name) {
    await renewOwn(record.node, places, days);
    return null;
  }
  const bundle = await sign(record, member, request, 'renew', days, places);
  rememberIssued(places.pki, member.name, bundle.pem.certificate, request ?? '');
  return bundle;
}

async function sign(
  { format, layout, southbound }: OverlayRecord,
  node: OverlayNode,
  request: string | null,
  mode: 'issue' | 'renew',
  days: number,
  { pki }: OverlayPlaces,
): Promise<OverlayBundle> {
  if (mode === 'issue') refuseSecond(pki, node.name);
  const { key, certificate } =
    request === null
      ? await issueFor(pki, node, 'client', 'renew', days)
      : { key: null, certificate: await signFor(pki, node.systemId, request, days) };
  const authority = readOwnAuthority(pki) ?? readAuthority(pki).certificate;
  // The addresses and subnets that are granted to the member's gateway are not in the bundle, because only the central
  // node checks them.
  const { granted: _, ...member } = node;
  return { format, layout, southbound, node: member, pem: { key, certificate, authority } };
}

/**
 * Adds addresses and subnets to the grant of a member's gateway. The gateway may use them besides its tunnel address.
 * With `isRevoked`, replaces the earlier grant. Writes the northbound rows that result, and returns the new grant.
 */
export async function grantGateway(
  name: string,
  { addresses, subnets }: GatewayGrant,
  isRevoked: boolean,
  places: OverlayPlaces,
): Promise<GatewayGrant> {
  const record = requireCentral(places.record);
  const member = requireMember(record, name);
  const before = isRevoked ? nothingGranted : (member.granted ?? nothingGranted);
  const granted = {
    addresses: [...new Set([...before.addresses, ...addresses])],
    subnets: [...new Set([...before.subnets, ...subnets])],
  };
  refuseGrant(granted, record.layout);
  const members = record.members.map((one) => (one === member ? { ...member, granted } : one));
  const wanted = { ...record, members };
  return withPlan(wanted, places, async ({ databases }) => {
    writeRecord(places.record, wanted);
    for (const { database, plan, rows } of databases.filter((one) => one.plan.database === 'OVN_Northbound'))
      await carryOut(database, plan, rows);
    return granted;
  });
}

function requireMember({ members }: ReturnType<typeof requireCentral>, name: string): OverlayNode {
  const member = members.find((one) => one.name === name);
  if (member !== undefined) return member;
  throw new AgentError('overlay-conflict', `${name} is not in the cluster`, {
    hint: `its nodes: ${members.map((one) => one.name).join(', ')}`,
  });
}

/** Fails with `bad-usage` if the addresses or subnets cannot be granted to a gateway, such as those of the cluster. */
function refuseGrant({ addresses, subnets }: GatewayGrant, layout: OverlayLayout): void {
  for (const address of addresses) {
    const isWhole = address.includes('/');
    const fault = addressesFault([isWhole ? address : `${address}/${isIpv6(address) ? 128 : 32}`], layout);
    if (fault !== null)
      throw new AgentError('bad-usage', `${address} cannot be granted: ${fault}`, { hint: grantHint });
  }
  const fault = subnets.map((subnet) => subnetFault(subnet, layout)).find((one) => one !== null) ?? null;
  if (fault !== null) throw new AgentError('bad-usage', `the subnets cannot be granted: ${fault}`, { hint: grantHint });
}

const grantHint =
  'write addresses as 203.0.113.9, or with the length where several nodes have the address together, and subnets as 10.42.1.0/24';

/**
 * Fails with `overlay-conflict` if a machine of another name is registered with the system-id. Either a disk was
 * copied, or the Chassis row of an earlier machine still exists.
 */
function refuseRegistered(chassis: readonly OverlayChassis[], name: string, systemId: string): void {
  const other = chassis.find((one) => one.name === systemId)?.hostname ?? '';
  if (anonymous.includes(other) || other === name || other.startsWith(`${name}.`)) return;
  throw new AgentError('overlay-conflict', `nodes ${name} and ${other} have the same system-id, ${systemId}`, {
    hint: `a disk was copied: remove /etc/openvswitch/system-id.conf on one of them, restart openvswitch there, and join again; where ${other} is gone, first: microshift-net overlay leave --node ${other}`,
    facts: { nodes: [name, other] },
  });
}

/** Hostnames that ovn-controller writes into the Chassis row of a node without a hostname of its own. */
const anonymous = ['', 'localhost', 'localhost.localdomain'];

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
