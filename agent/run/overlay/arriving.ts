import { readSmallFile, replaceFile } from '../../drivers/host/files.ts';
import { isAgentError } from '../../errors.ts';
import type { ArrivingService, DemuxChange } from '../../model/overlay-demux.ts';
import type { OverlayRecord } from '../../model/overlay-record.ts';
import type { DatabaseRows } from '../../model/rows.ts';
import { arrivingServices, serviceTables } from '../../overlay/arriving.ts';
import { applyDemux, hasClusterPort, lookAtDemux, sharedGateway } from './demux.ts';
import type { OverlayPlaces } from './places.ts';
import type { PlannedNode } from './planned.ts';
import { readRows } from './rows.ts';
import { withSouthbound } from './southbound.ts';

/** Ten thousand services have half of that. */
const rememberedBytes = 64 * 1024 * 1024;

/** ovn-controller makes its port again within milliseconds; whoever waits here has failed already. */
const portMs = 5_000;

/** What is not as wanted of flows and table, and why that cannot be told. Touches nothing. */
export async function demuxDrift(
  planned: PlannedNode,
): Promise<{ readonly demux: readonly DemuxChange[]; readonly faults: readonly string[] }> {
  const { record, places, local } = planned;
  const { changes, fault } = await lookAtDemux(record, places, local.database, await servicesNowOrLast(planned));
  return { demux: changes, faults: fault === null ? [] : [fault] };
}

/**
 * Makes flows and table as they were before another gateway was tried, and proves nothing: where ovn-controller has taken its port away, they come with
 * the port, which is an event for the daemon.
 */
export async function takeBackArriving(planned: PlannedNode): Promise<void> {
  const { record, places, local } = planned;
  const services = await servicesNowOrLast(planned);
  remember(services, places);
  await hasClusterPort(record, local.database, portMs);
  const { carryOut } = await lookAtDemux(record, places, local.database, services);
  for (const act of carryOut) await act();
}

/** Makes flows and table as the southbound database says now, and remembers it. A node without a gateway goes on without the central one. */
export async function applyArriving(
  planned: PlannedNode,
  say: (step: string) => void,
): Promise<readonly DemuxChange[]> {
  const { record, places, local } = planned;
  const read = sharedGateway(record) === null ? servicesNowOrLast : readServices;
  const services = await read(planned);
  remember(services, places);
  return applyDemux(record, places, local.database, services, say);
}

/** True when these are not the services that flows and table were last made for. */
export function areNews(
  services: readonly ArrivingService[],
  { services: file }: Pick<OverlayPlaces, 'services'>,
): boolean {
  return textOfServices(services) !== (readSmallFile(file, rememberedBytes) ?? textOfServices([]));
}

/**
 * Makes flows and table as they were last: after a restart of ovs-vswitchd everything arrives again before anything is waited for, also while the
 * central node is away. Nothing to do for a gateway that has not been connected since the machine has booted.
 */
export async function restoreArriving(
  { record, places, local }: PlannedNode,
  say: (step: string) => void,
): Promise<readonly DemuxChange[]> {
  const services = remembered(places);
  if (services === null || !(await hasClusterPort(record, local.database))) return [];
  return applyDemux(record, places, local.database, services, say);
}

function readServices(planned: PlannedNode): Promise<readonly ArrivingService[]> {
  return withSouthbound(planned, async (southbound) =>
    servicesIn(planned.record, await readRows(southbound, serviceTables)),
  );
}

/** The services that matter to this node. */
export function servicesIn(record: OverlayRecord, rows: DatabaseRows): readonly ArrivingService[] {
  return arrivingServices(record.layout, record.node, sharedGateway(record), rows);
}

function textOfServices(services: readonly ArrivingService[]): string {
  return `${JSON.stringify(services)}\n`;
}

/** What arrives here; what was told last where the central node is away. */
function servicesNowOrLast(planned: PlannedNode): Promise<readonly ArrivingService[]> {
  return readServices(planned).catch((error: unknown) => {
    if (!isAgentError(error)) throw error;
    const last = remembered(planned.places) ?? [];
    return sharedGateway(planned.record) === null ? last.filter(({ isServedHere }) => isServedHere) : last;
  });
}

function remember(services: readonly ArrivingService[], { services: path }: OverlayPlaces): void {
  replaceFile(path, textOfServices(services), 0o600);
}

/** What was told last since this machine has booted. */
function remembered({ services }: OverlayPlaces): readonly ArrivingService[] | null {
  const text = readSmallFile(services, rememberedBytes);
  return text === null ? null : (JSON.parse(text) as readonly ArrivingService[]);
}
