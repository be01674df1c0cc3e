import { readSmallFile, replaceFile } from '../../drivers/host/files.ts';
import type { RowDatabase } from '../../drivers/ovn/database.ts';
import { isAgentError } from '../../errors.ts';
import type { ArrivingService, DemuxChange } from '../../model/overlay-demux.ts';
import type { OverlayRecord } from '../../model/overlay-record.ts';
import type { DatabaseRows } from '../../model/rows.ts';
import { arrivingServices, serviceTables } from '../../overlay/arriving.ts';
import { hasClusterPort, lookAtDemux, settleDemux, sharedGateway } from './demux.ts';
import type { OverlayPlaces } from './places.ts';
import type { PlannedNode } from './planned.ts';
import { readRows } from './rows.ts';
import { withSouthbound } from './southbound.ts';

/** Ten thousand services have half of that. */
const rememberedBytes = 4 * 1024 * 1024;

/** What is not as wanted of flows and table, and why that cannot be told. Touches nothing. */
export async function demuxDrift(
  record: OverlayRecord,
  places: OverlayPlaces,
  planned: PlannedNode,
): Promise<{ readonly demux: readonly DemuxChange[]; readonly faults: readonly string[] }> {
  const services = await readServices(record, places, planned).catch(asRemembered(places));
  const { changes, fault } = await lookAtDemux(record, places, localOf(planned), services);
  return { demux: changes, faults: fault === null ? [] : [fault] };
}

/** Makes flows and table as the southbound database says now, and remembers it. A node without a gateway goes on without the central one. */
export async function settleArriving(
  record: OverlayRecord,
  places: OverlayPlaces,
  planned: PlannedNode,
  say: (step: string) => void,
): Promise<readonly DemuxChange[]> {
  const read = readServices(record, places, planned);
  const services = await (sharedGateway(record) === null ? read.catch(asRemembered(places)) : read);
  replaceFile(places.services, textOfServices(services), 0o600);
  return settleDemux(record, places, localOf(planned), services, say);
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
  record: OverlayRecord,
  places: OverlayPlaces,
  planned: PlannedNode,
  say: (step: string) => void,
): Promise<readonly DemuxChange[]> {
  const services = remembered(places);
  const local = localOf(planned);
  if (services === null || !(await hasClusterPort(record, local))) return [];
  return settleDemux(record, places, local, services, say);
}

function readServices(
  record: OverlayRecord,
  places: OverlayPlaces,
  planned: PlannedNode,
): Promise<readonly ArrivingService[]> {
  return withSouthbound(record, places, planned, async (southbound) =>
    servicesIn(record, await readRows(southbound, serviceTables)),
  );
}

/** The services that matter to this node. */
export function servicesIn(record: OverlayRecord, rows: DatabaseRows): readonly ArrivingService[] {
  return arrivingServices(record.layout, record.node, sharedGateway(record), rows);
}

function textOfServices(services: readonly ArrivingService[]): string {
  return `${JSON.stringify(services)}\n`;
}

/** Without the central node everything stays as it was told last. */
function asRemembered(places: OverlayPlaces): (error: unknown) => readonly ArrivingService[] {
  return (error) => {
    if (isAgentError(error)) return remembered(places) ?? [];
    throw error;
  };
}

/** What was told last since this machine has booted. */
function remembered({ services }: OverlayPlaces): readonly ArrivingService[] | null {
  const text = readSmallFile(services, rememberedBytes);
  return text === null ? null : (JSON.parse(text) as readonly ArrivingService[]);
}

function localOf({ databases }: PlannedNode): RowDatabase {
  const local = databases.at(-1)?.database;
  if (local === undefined) throw new Error('the local database is always open');
  return local;
}
