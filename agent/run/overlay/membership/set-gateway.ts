import { ipBatchOrRefusal } from '../../../drivers/host/kernel/ip-batch.ts';
import { AgentError } from '../../../errors.ts';
import { readHost, readNic } from '../../../facts/overlay-host.ts';
import type { GatewayRequest, OverlayRecord } from '../../../model/overlay-record.ts';
import { chooseGateway } from '../../../overlay/gateway/own-gateway.ts';
import { movedAddresses } from '../../../overlay/gateway/own-nic.ts';
import { stoppable } from '../../stoppable.ts';
import { applyOverlay, restoreOverlay } from '../node/apply-overlay.ts';
import { refuseOtherBridge } from '../node/gateway-port.ts';
import { withPlan } from '../node/planned-node.ts';
import { notRestored } from '../record/not-restored.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { requireRecord, writeRecord } from '../record/record.ts';
import type { Begun } from './init-overlay.ts';

/** Time limit for a batch of `ip` commands; the kernel takes milliseconds. */
const kernelMs = 30_000;

/** Gateway that `overlay gateway` requests. */
export type AskedGateway = Omit<GatewayRequest, 'moved'>;

/**
 * Makes this node a gateway of its cluster, changes the gateway, or removes the gateway if `asked` is null. Rolls back
 * after a failure and after a signal (Ctrl-C), which ends the waits. The record always contains either the old or the
 * new gateway, so that `overlay apply` can put this gateway into effect after a crash.
 */
export function setGateway(
  asked: AskedGateway | null,
  places: OverlayPlaces,
  say: (step: string) => void,
): Promise<Begun> {
  return stoppable(say, (stop) => changeGateway(asked, places, stop, say));
}

async function changeGateway(
  asked: AskedGateway | null,
  places: OverlayPlaces,
  stop: AbortSignal,
  say: (step: string) => void,
): Promise<Begun> {
  const before = requireRecord(places.record);
  const forward = { ...places, stop };
  const ports = asked === null ? [] : await refuseOtherBridge(asked, forward);
  const wanted = asked === null ? withoutGateway(before) : await withGateway(before, asked, ports);
  // This plan is not carried out. It is made because the planning throws if the request has to be refused.
  await withPlan(wanted, forward, async () => undefined);
  stop.throwIfAborted();
  // The waits of the rollback do not get the stop signal, so that a signal does not end the rollback.
  await returnAddresses(before, wanted);
  writeRecord(places.record, wanted);
  try {
    return { record: wanted, changes: await applyOverlay(wanted, forward, say) };
  } catch (error) {
    say('rolling back');
    try {
      await returnAddresses(wanted, before);
      writeRecord(places.record, before);
      await restoreOverlay(before, places, say);
    } catch (second) {
      throw notRestored(error, second, 'run `microshift-net overlay apply` once the cause is fixed');
    }
    throw error;
  }
}

/**
 * Adds the former addresses of a gateway's NIC to this NIC again. While the NIC was the gateway's, OVN answered for
 * these addresses. Does nothing if the gateway in the record `to` uses the same NIC. The caller has to write the new
 * record afterwards.
 */
export async function returnAddresses({ gateway: from }: OverlayRecord, to: OverlayRecord | null): Promise<void> {
  if (from === undefined || from.interface === null || from.interface === to?.gateway?.interface) return;
  const lines = from.moved.map((address) => `address replace ${address} dev ${from.interface}`);
  const isThere = readHost().links.some(({ name }) => name === from.interface);
  const refusal = isThere ? await ipBatchOrRefusal(lines, kernelMs) : null;
  if (refusal === null) return;
  throw new AgentError('step-failed', `the kernel refused ${refusal}`, {
    hint: `look at \`ip address show dev ${from.interface}\` for conflicting addresses`,
  });
}

function withoutGateway({ gateway: _gone, ...record }: OverlayRecord): OverlayRecord {
  return withNode({ ...record, node: { ...record.node, gateway: null } });
}

/**
 * Returns a record with the requested gateway. `ports` are the names of all ports of bridges other than the gateway's.
 */
async function withGateway(
  record: OverlayRecord,
  asked: AskedGateway,
  ports: readonly string[],
): Promise<OverlayRecord> {
  const { layout, node, gateway: present } = record;
  const nic = asked.interface;
  const kernel = await readNic(nic);
  const there = nic === null ? [] : movedAddresses(nic, asked.addresses, node, { ...kernel, ports });
  const kept = present !== undefined && present.interface === nic ? present.moved : [];
  const moved = [...new Set([...kept, ...there])];
  // On a repeated request the NIC has already lost its addresses, so the addresses come from the record.
  const addresses = nic !== null && asked.addresses === 'auto' ? moved : asked.addresses;
  const request: GatewayRequest = { ...asked, addresses, moved };
  const gateway = chooseGateway(request, layout, node, kernel);
  return withNode({ ...record, gateway: request, node: { ...node, gateway } });
}

/** Copies the node of a record into the list of members, which only the central node has. */
function withNode(record: OverlayRecord): OverlayRecord {
  const { members, node } = record;
  return { ...record, members: members?.map((member) => (member.name === node.name ? node : member)) ?? null };
}
