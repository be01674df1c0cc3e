import { flowsOf } from '../../../drivers/openvswitch/flows.ts';
import { isAgentError } from '../../../errors.ts';
import { withheldCookie, withheldFlows } from '../../../overlay/services/withheld-answers.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { readRecord } from '../record/record.ts';
import { gatewayPort } from './gateway-port.ts';

/**
 * Makes the bridge of this node's gateway drop the gateway's answers for these addresses and for no others. Writes
 * nothing if the bridge does so already. Returns the name of the bridge; null if the node has no gateway. Fails with an
 * AgentError if the gateway is not connected to its bridge, or ovs-vswitchd does not answer.
 */
export async function withhold(addresses: readonly string[], places: OverlayPlaces): Promise<string | null> {
  const record = readRecord(places.record);
  const gateway = record?.node.gateway ?? null;
  if (record === null || gateway === null) return null;
  const flows = flowsOf(gateway.bridge, withheldCookie, places.ovsRun);
  const wanted = withheldFlows(await gatewayPort(record, gateway, places), addresses).map(({ flow }) => flow);
  const { missing, stale } = await flows.compare(wanted);
  if (missing.length + stale.length > 0) await flows.replace(wanted);
  return gateway.bridge;
}

/**
 * Removes the flows that drop a gateway's answers from the bridge of an earlier gateway. A bridge that does not answer
 * counts as a bridge without flows.
 */
export async function withholdNothing(bridge: string, { ovsRun }: Pick<OverlayPlaces, 'ovsRun'>): Promise<void> {
  const flows = flowsOf(bridge, withheldCookie, ovsRun);
  try {
    if ((await flows.compare([])).stale.length > 0) await flows.replace([]);
  } catch (error) {
    if (!isAgentError(error)) throw error;
  }
}
