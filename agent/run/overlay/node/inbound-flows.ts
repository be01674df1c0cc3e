import { readSmallFile, replaceFile } from '../../../drivers/host/files/files.ts';
import { isAgentError } from '../../../errors.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { DatabaseRows } from '../../../model/rows.ts';
import type { InboundService, SharedBridgeChange } from '../../../model/shared-bridge.ts';
import { inboundServices, serviceTables } from '../../../overlay/services/inbound-services.ts';
import { readRows } from '../ovn/database-rows.ts';
import type { OverlayPlaces } from '../record/places.ts';
import type { PlannedNode } from './planned-node.ts';
import { applySharedFlows, compareSharedFlows, hasClusterPort, sharedGateway } from './shared-flows.ts';
import { withSouthbound } from './southbound.ts';

/** Size limit, in bytes, of the file that stores the services; ten thousand services take half of it. */
const rememberedBytes = 64 * 1024 * 1024;

/**
 * Limit for ovn-controller to add its port to the shared bridge. It takes milliseconds, so the limit is only reached if
 * ovn-controller does not work.
 */
const portMs = 5_000;

/**
 * Returns the differences in the flows and the nftables table of inbound services, or the fault that prevents the
 * comparison. Changes nothing.
 */
export async function sharedFlowDrift(
  planned: PlannedNode,
): Promise<{ readonly demux: readonly SharedBridgeChange[]; readonly faults: readonly string[] }> {
  const { record, places, local } = planned;
  const { changes, fault } = await compareSharedFlows(record, places, local.database, await servicesNowOrLast(planned));
  return { demux: changes, faults: fault === null ? [] : [fault] };
}

/**
 * Restores the flows and the nftables table of inbound services after the rollback of a gateway. Proves nothing: if
 * ovn-controller has removed its port, the daemon restores the flows when the port exists again.
 */
export async function rollBackInbound(planned: PlannedNode): Promise<void> {
  const { record, places, local } = planned;
  const services = await servicesNowOrLast(planned);
  remember(services, places);
  await hasClusterPort(record, local.database, portMs);
  const { carryOut } = await compareSharedFlows(record, places, local.database, services);
  for (const act of carryOut) await act();
}

/**
 * Installs the flows and the nftables table for the services in the southbound database, and stores these services. A
 * node without a gateway uses the services that it stored before if the central node does not answer.
 */
export async function installInbound(
  planned: PlannedNode,
  say: (step: string) => void,
): Promise<readonly SharedBridgeChange[]> {
  const { record, places, local } = planned;
  const read = sharedGateway(record) === null ? servicesNowOrLast : readServices;
  const services = await read(planned);
  remember(services, places);
  return applySharedFlows(record, places, local.database, services, say);
}

/** True if the services differ from the stored ones, for which the flows and the nftables table were installed. */
export function differFromStored(
  services: readonly InboundService[],
  places: Pick<OverlayPlaces, 'services'>,
): boolean {
  return textOfServices(services) !== (storedServices(places) ?? textOfServices([]));
}

/**
 * Installs the flows and the nftables table for the stored services, without waiting for the central node. Inbound
 * services therefore work again soon after a restart of ovs-vswitchd. Does nothing for a gateway that OVN has not
 * connected since the boot.
 */
export async function installStoredInbound(
  { record, places, local }: PlannedNode,
  say: (step: string) => void,
): Promise<readonly SharedBridgeChange[]> {
  const services = remembered(places);
  if (services === null || !(await hasClusterPort(record, local.database))) return [];
  return applySharedFlows(record, places, local.database, services, say);
}

function readServices(planned: PlannedNode): Promise<readonly InboundService[]> {
  return withSouthbound(planned, async (southbound) =>
    servicesIn(planned.record, await readRows(southbound, serviceTables)),
  );
}

/** Returns the inbound services of this node. */
export function servicesIn(record: OverlayRecord, rows: DatabaseRows): readonly InboundService[] {
  return inboundServices(record.layout, record.node, sharedGateway(record), rows);
}

/** Returns the stored services as text for a comparison; null if no services were stored since the boot. */
export function storedServices({ services }: Pick<OverlayPlaces, 'services'>): string | null {
  return readSmallFile(services, rememberedBytes);
}

function textOfServices(services: readonly InboundService[]): string {
  return `${JSON.stringify(services)}\n`;
}

/**
 * Returns the services in the southbound database. If the central node does not answer, returns the stored services; on
 * a node without a shared gateway, only the stored services that the node itself serves.
 */
function servicesNowOrLast(planned: PlannedNode): Promise<readonly InboundService[]> {
  return readServices(planned).catch((error: unknown) => {
    if (!isAgentError(error)) throw error;
    const last = remembered(planned.places) ?? [];
    return sharedGateway(planned.record) === null ? last.filter(({ isServedHere }) => isServedHere) : last;
  });
}

function remember(services: readonly InboundService[], { services: path }: OverlayPlaces): void {
  replaceFile(path, textOfServices(services), 0o600);
}

/** Returns the services that were stored since the boot; null if no services were stored. */
function remembered(places: OverlayPlaces): readonly InboundService[] | null {
  const text = storedServices(places);
  return text === null ? null : (JSON.parse(text) as readonly InboundService[]);
}
