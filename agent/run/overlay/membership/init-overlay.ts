import { existsSync } from 'node:fs';
import { AgentError } from '../../../errors.ts';
import { readKubeletName } from '../../../facts/kubelet-name.ts';
import { readHost } from '../../../facts/overlay-host.ts';
import type { Config } from '../../../model/config.ts';
import type { OverlayNode } from '../../../model/overlay.ts';
import type { OverlayChanges } from '../../../model/overlay-plan.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { inBrackets } from '../../../net/address.ts';
import { managementInterface } from '../../../overlay/overlay-names.ts';
import { initAuthority, installOwn, issueFor, readAuthority } from '../certificates/authority.ts';
import { southboundPort } from '../certificates/listener-plan.ts';
import { pkiFiles } from '../certificates/pki-files.ts';
import { applyOverlay, refuseOpenListeners } from '../node/apply-overlay.ts';
import {
  assigned,
  identify,
  newLayout,
  refuseHostRanges,
  refuseMicroshift,
  refuseOtherName,
} from '../node/membership.ts';
import { withPlan } from '../node/planned-node.ts';
import { refuseWithoutConntrack } from '../ovn/datapath-support.ts';
import { ensureCentral } from '../ovn/ovn-daemons.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { readRecord } from '../record/record.ts';
import { readSystemId, writeSystemId } from '../record/system-id.ts';
import { attempt } from './attempt.ts';

/** Result of a command that changes a node's part in the overlay: the node's record, and the changes of its state. */
export interface Begun {
  readonly record: OverlayRecord;
  readonly changes: OverlayChanges;
}

/**
 * Makes this node the central node of a new overlay, and its first member. On an existing central node, applies its
 * record as `overlay apply` does. `places.stop` ends the waits, and on a new central node causes a rollback.
 */
export async function initOverlay(
  config: Config,
  newSystemId: string,
  places: OverlayPlaces,
  say: (step: string) => void,
): Promise<Begun> {
  const present = readRecord(places.record);
  if (present !== null) return { record: present, changes: await again(present, config, places, say) };
  const host = readHost();
  refuseMicroshift(config, host);
  await refuseWithoutConntrack(config, places);
  const identity = identify(config, host);
  refuseOtherName(identity, readKubeletName());
  const layout = newLayout(config, identity);
  refuseHostRanges(layout, host, [managementInterface(layout.naming, identity.name)]);
  const kept = readSystemId(places.systemId);
  const node: OverlayNode = {
    name: identity.name,
    systemId: kept ?? newSystemId,
    ...assigned(layout, [], identity.name),
    encap: identity.encap,
    managementMac: null,
    hostAddresses: identity.hostAddresses,
    gateway: null,
  };
  const southbound = identity.encap.addresses.map((address) => `ssl:${inBrackets(address)}:${southboundPort}`);
  const record: OverlayRecord = { format: 1, layout, southbound, node, members: [node] };
  const { own, authority, authorityKey, issued } = pkiFiles(places.pki);
  const prepare = async (): Promise<void> => {
    if (kept === null) writeSystemId(places.systemId, node.systemId);
    if (!existsSync(authority)) await initAuthority(places.pki);
    installOwn(
      places.pki,
      await issueFor(places.pki, node, 'server and client', 'renew'),
      readAuthority(places.pki).certificate,
    );
  };
  const files = [own, authority, authorityKey, issued(node.name)];
  return { record, changes: await attempt(record, places, files, prepare, say) };
}

/**
 * Applies the record of an existing central node. The subnets of the cluster cannot change: fails with
 * `overlay-conflict` if ovn.yaml has other subnets. Fails with `overlay-conflict` also on a node that has joined
 * another overlay.
 */
async function again(
  record: OverlayRecord,
  config: Config,
  places: OverlayPlaces,
  say: (step: string) => void,
): Promise<OverlayChanges> {
  if (record.members === null) {
    throw new AgentError('overlay-conflict', `this node has joined the overlay of ${record.southbound.join(', ')}`, {
      hint: 'to begin another one here, leave that first: microshift-net overlay leave',
    });
  }
  const identity = identify(config, readHost());
  const wanted = newLayout(config, identity);
  const key = (['clusterSubnets', 'serviceSubnets', 'joinSubnets'] as const).find(
    (one) => wanted[one].join() !== record.layout[one].join(),
  );
  if (key !== undefined) {
    throw new AgentError(
      'overlay-conflict',
      `the overlay was begun with ${key} ${record.layout[key].join(', ')}, and the configuration says ${wanted[key].join(', ')}`,
      { hint: 'put the configuration back, or take every node out and start again: microshift-net overlay leave' },
    );
  }
  await ensureCentral(places, say);
  await withPlan(record, places, async (planned) => refuseOpenListeners(planned));
  return applyOverlay(record, places, say);
}
