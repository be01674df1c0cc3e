import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type KeyPair, workFolderPrefix } from '../../../drivers/openssl/certificates.ts';
import { certificatesIn, isKeyOf, pairFault, readCertificate } from '../../../drivers/openssl/read-certificate.ts';
import { databaseCallMs } from '../../../drivers/ovn/database.ts';
import { AgentError } from '../../../errors.ts';
import { readKubeletName } from '../../../facts/kubelet-name.ts';
import { readHost } from '../../../facts/overlay-host.ts';
import type { Config } from '../../../model/config.ts';
import { missingPortHint } from '../../../model/missing-port.ts';
import type { OverlayNode } from '../../../model/overlay.ts';
import type { OverlayBundle, OverlayRecord } from '../../../model/overlay-record.ts';
import { managementInterface } from '../../../overlay/overlay-names.ts';
import { overlayTables } from '../../../overlay/rows/overlay-tables.ts';
import { installOwn, readOwn, readOwnAuthority } from '../certificates/authority.ts';
import { readOwnRequest, removeOwnRequest } from '../certificates/own-request.ts';
import { pkiFiles } from '../certificates/pki-files.ts';
import { applyOverlay } from '../node/apply-overlay.ts';
import {
  type HostIdentity,
  identify,
  largestMtu,
  refuseHostRanges,
  refuseMicroshift,
  refuseOtherName,
} from '../node/membership.ts';
import { openFromHere } from '../node/open-from-here.ts';
import { portOf, refuseWithoutPort } from '../node/own-port.ts';
import { chassisOf } from '../node/southbound-rows.ts';
import { readRows } from '../ovn/database-rows.ts';
import { refuseWithoutConntrack } from '../ovn/datapath-support.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { readRecord, writeRecord } from '../record/record.ts';
import { readSystemId, writeSystemId } from '../record/system-id.ts';
import { attempt } from './attempt.ts';
import type { Begun } from './init-overlay.ts';

/**
 * Makes this node a member of the cluster that a bundle describes. On a member of the same cluster, replaces the
 * certificate by that of a renewed bundle. `places.stop` ends the waits, and on a new member causes a rollback.
 */
export async function joinOverlay(
  bundle: OverlayBundle,
  config: Config,
  places: OverlayPlaces,
  say: (step: string) => void,
): Promise<Begun> {
  const { pem, format, layout, southbound } = bundle;
  const host = readHost();
  refuseMicroshift(config, host);
  await refuseWithoutConntrack(config, places);
  const identity = identify(config, host);
  refuseOtherName(identity, readKubeletName());
  const systemId = readSystemId(places.systemId);
  refuseOtherNode(bundle, identity, systemId);
  const pair = ownPair(bundle, places);
  refuseOtherCertificate(bundle, pair.key);
  refuseMtu(bundle, identity);
  refuseHostRanges(bundle.layout, host, [managementInterface(bundle.layout.naming, bundle.node.name)]);
  const install = (): void => {
    installOwn(places.pki, pair, pem.authority);
    removeOwnRequest(places.pki);
  };
  const present = readRecord(places.record);
  // The bundle does not contain the gateway, because a gateway is configured on the node itself.
  const gateway = present?.node.gateway ?? null;
  const node: OverlayNode = { ...bundle.node, encap: identity.encap, hostAddresses: identity.hostAddresses, gateway };
  const kept = present?.gateway === undefined ? {} : { gateway: present.gateway };
  const record: OverlayRecord = { format, layout, southbound, ...kept, node, members: null };
  if (present !== null) {
    refuseOtherCluster(present, record, pem.authority, places);
    say(waitingForCentral(record));
    await refuseRemoved(record, pair, pem.authority, places);
    places.stop?.throwIfAborted();
    install();
    writeRecord(places.record, record);
    return { record, changes: await applyOverlay(record, places, say) };
  }
  refuseOwnAuthority(places);
  const prepare = async (): Promise<void> => {
    if (systemId === null) writeSystemId(places.systemId, node.systemId);
    install();
    say(waitingForCentral(record));
    await refuseByCentral(record, places);
  };
  const { own, authority } = pkiFiles(places.pki);
  return { record, changes: await attempt(record, places, [own, authority], prepare, say) };
}

function waitingForCentral({ southbound }: OverlayRecord): string {
  return `waiting up to ${databaseCallMs / 1000} s for the central node, ${southbound.join(', ')}`;
}

/** Returns the certificate of the bundle with its key. If the bundle has no key, this node has made the key itself. */
function ownPair({ pem: { key, certificate }, node }: OverlayBundle, { pki }: OverlayPlaces): KeyPair {
  if (key !== null) return { key, certificate };
  const pair = [readOwnRequest(pki), readOwn(pki)].find((one) => one !== null && isKeyOf(one.key, certificate));
  if (pair !== undefined && pair !== null) return { key: pair.key, certificate };
  throw new AgentError(
    'bundle-unusable',
    'the bundle has no key, and this node does not have that of its certificate',
    {
      hint: `make both again: microshift-net overlay pki request -o ${node.name}.request here, then on the central node: microshift-net overlay pki renew ${node.name} --request ${node.name}.request`,
    },
  );
}

function refuseOtherNode({ node }: OverlayBundle, { name }: HostIdentity, systemId: string | null): void {
  if (name !== node.name) {
    throw new AgentError('bundle-unusable', `the bundle is for ${node.name}, and this node is ${name}`, {
      hint: `issue one for ${name} on the central node, or set overlay.nodeName in ovn.yaml if the kubelet calls this node ${node.name}`,
      facts: { bundle: node.name, node: name },
    });
  }
  if (systemId === null || systemId === node.systemId) return;
  throw new AgentError(
    'bundle-unusable',
    `the bundle is for the system-id ${node.systemId}, and this node has ${systemId}`,
    {
      hint: `on the central node, run: microshift-net overlay leave --node ${name}, then: microshift-net overlay pki issue ${name} --system-id ${systemId}`,
      facts: { bundle: node.systemId, node: systemId },
    },
  );
}

/**
 * Fails with `bundle-unusable` if the certificate belongs to another node, because this node could then register only
 * as the other node (ovn-sb(5), RBAC). A certificate that is not valid is refused later, when it is installed.
 */
function refuseOtherCertificate({ node, pem }: OverlayBundle, key: string): void {
  if (pairFault(key, pem.certificate, pem.authority) !== null) return;
  const { commonName } = readCertificate(pem.certificate);
  if (commonName === node.systemId) return;
  throw new AgentError(
    'bundle-unusable',
    `the certificate in the bundle is for the system-id ${commonName}, and the bundle for ${node.systemId}`,
    { hint: `make it again on the central node: microshift-net overlay pki renew ${node.name}` },
  );
}

/**
 * Fails with `certificates-refused` if this node has an authority of its own, which the bundle's authority would
 * replace.
 */
function refuseOwnAuthority({ pki }: OverlayPlaces): void {
  const { authorityKey } = pkiFiles(pki);
  if (!existsSync(authorityKey)) return;
  throw new AgentError('certificates-refused', `this node has an authority of its own, ${authorityKey}`, {
    hint: `begin a cluster with it (microshift-net overlay init), or move ${pki} away to join another one`,
    facts: { path: authorityKey },
  });
}

function refuseMtu({ layout }: OverlayBundle, identity: HostIdentity): void {
  const largest = largestMtu(identity);
  if (layout.mtu <= largest) return;
  throw new AgentError(
    'overlay-conflict',
    `the cluster's MTU is ${layout.mtu}, and this node's uplink carries ${largest} inside of a tunnel`,
    {
      hint: `set mtu: ${largest} in ovn.yaml of the central node before the cluster is begun, or give the uplink a larger MTU`,
      facts: { wanted: layout.mtu, largest },
    },
  );
}

/**
 * Fails with `overlay-conflict` if this node is in another cluster. A cluster is identified by its authority, because
 * the address of its central node can change.
 */
function refuseOtherCluster(
  present: OverlayRecord,
  { node, southbound }: OverlayRecord,
  authority: string,
  { pki }: OverlayPlaces,
): void {
  const trusted = certificatesIn(readOwnAuthority(pki) ?? '');
  if (present.members === null && certificatesIn(authority).some((one) => trusted.includes(one))) return;
  if (present.members === null && southbound.some((one) => present.southbound.includes(one))) {
    throw new AgentError(
      'overlay-conflict',
      `this node does not trust the authority of the bundle, although both name the central node ${southbound.join(', ')}`,
      {
        hint: `if the bundle is older than the authority, make a new one on the central node: microshift-net overlay pki renew ${node.name}; if the cluster or its authority was made again, first run here: microshift-net overlay leave`,
      },
    );
  }
  const which =
    present.members === null ? `the one of ${present.southbound.join(', ')}` : 'the one whose central node this is';
  throw new AgentError('overlay-conflict', `this node is in an overlay already, ${which}`, {
    hint: 'leave it first: microshift-net overlay leave',
  });
}

/**
 * Fails with `bundle-unusable` if the central node has no management port for this member, as after its removal from
 * the cluster. Connects with the certificate of the bundle, which is not installed yet, so that the node keeps its own
 * certificate after a failure.
 */
async function refuseRemoved(
  { node, southbound }: OverlayRecord,
  pair: KeyPair,
  authority: string,
  { pki, stop }: OverlayPlaces,
): Promise<void> {
  if (node.subnets.length === 0) return;
  const folder = mkdtempSync(`${pki}/${workFolderPrefix}`);
  try {
    installOwn(folder, pair, authority);
    const database = await openFromHere(southbound, folder, stop);
    try {
      refuseWithoutPort(node.name, await database.appears(portOf(node.name), 0), missingPortHint(node.name));
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Fails with `bundle-unusable` if the central node has removed this node since it issued the bundle. Fails with
 * `overlay-conflict` if another node is registered with this node's system-id or tunnel address. Two such nodes would
 * receive each other's traffic.
 */
async function refuseByCentral({ node, southbound }: OverlayRecord, { pki }: OverlayPlaces): Promise<void> {
  const database = await openFromHere(southbound, pki);
  try {
    refuseWithoutPort(node.name, node.subnets.length === 0 || (await database.appears(portOf(node.name), 0)));
    const chassis = chassisOf(await readRows(database, overlayTables.OVN_Southbound));
    const twin = chassis.find(({ name, hostname }) => name === node.systemId && hostname !== node.name);
    const neighbour = chassis.find(
      ({ name, encaps }) =>
        name !== node.systemId && encaps.some(({ address }) => node.encap.addresses.includes(address)),
    );
    const other = twin ?? neighbour;
    if (other === undefined) return;
    const what =
      twin === undefined ? `the tunnel address ${node.encap.addresses.join(', ')}` : `the system-id ${node.systemId}`;
    const name = other.hostname === '' ? other.name : other.hostname;
    throw new AgentError('overlay-conflict', `${name} is registered with ${what} already`, {
      hint: `take it out on the central node if it is gone: microshift-net overlay leave --node ${name}`,
      facts: { other: name },
    });
  } finally {
    database.close();
  }
}
