import { loadedConfig } from '../../config/effective.ts';
import { hasProgram } from '../../drivers/host/process/programs.ts';
import { openCentralDatabase, openSwitchDatabase, type RowDatabase } from '../../drivers/ovn/database.ts';
import { readHost } from '../../facts/overlay-host.ts';
import type { OverlayClocks, OverlayFacts } from '../../model/examination.ts';
import type { OpenListener } from '../../model/overlay.ts';
import { kernelCommand } from '../../model/overlay-plan.ts';
import type { OverlayRecord } from '../../model/overlay-record.ts';
import { directFaults } from '../../overlay/direct/direct-nodes.ts';
import { listenerFault, listenerHint } from '../../overlay/listeners.ts';
import { type MissingColumn, missingColumns, writtenTables } from '../../overlay/rows/columns.ts';
import { listOf, textOf } from '../../overlay/rows/row-index.ts';
import { shapeOfSchema } from '../../overlay/rows/wire.ts';
import { listCertificates } from '../overlay/certificates/authority.ts';
import { announcedHere } from '../overlay/node/direct-here.ts';
import { readCredentials } from '../overlay/node/kubernetes-credentials.ts';
import { daysUntil } from '../overlay/node/nodes.ts';
import { readMembership } from '../overlay/node/own-port.ts';
import { listenersOf, planKernel } from '../overlay/node/planned-node.ts';
import { rememberedDirect, rememberedPodMtu } from '../overlay/node/stored-inbound.ts';
import { readRows } from '../overlay/ovn/database-rows.ts';
import { askController, hasCentral } from '../overlay/ovn/ovn-daemons.ts';
import { type OverlayPlaces, overlayPlaces } from '../overlay/record/places.ts';
import { readRecord } from '../overlay/record/record.ts';

/** Reads the facts about the overlay that `doctor` checks; null if the node is not a member of an overlay. */
export async function readOverlayFacts(places = overlayPlaces): Promise<OverlayFacts | null> {
  const record = readRecord(places.record);
  if (record === null) return null;
  const now = Date.now();
  const { node, members, southbound } = record;
  const credentials = configuredCredentials();
  return {
    node: node.name,
    isCentral: members !== null,
    southbound,
    controller: await askController(places),
    hasDatabases: hasCentral(places),
    installed: { controller: hasProgram('ovn-controller'), northd: hasProgram('ovn-northd') },
    encapTypes: node.encap.types,
    membership: await readMembership(record, places),
    ...kernelFact(record),
    ...(await directFact(places)),
    ...(await dataPathOf(places)),
    ...(await centralFacts(record, places, now)),
    credentials: await credentials,
    certificates: listCertificates(places.pki).map(({ name, notAfter, notBefore }) => ({
      name,
      days: daysUntil(notAfter, now),
      beginsInS: Math.round((Date.parse(notBefore) - now) / 1000),
    })),
  };
}

/**
 * Returns an object with the commands that would bring the interface of the management port and the gateway's NIC into
 * the desired state; an empty object if no command is needed.
 */
function kernelFact(record: OverlayRecord): Pick<OverlayFacts, 'kernel'> {
  const kernel = planKernel(record, readHost()).map(kernelCommand);
  return kernel.length === 0 ? {} : { kernel };
}

/** Returns sentences about nodes whose packets do not arrive by the direct route. */
async function directFact(places: OverlayPlaces): Promise<Pick<OverlayFacts, 'direct'>> {
  const neighbours = rememberedDirect(places);
  if (neighbours.length === 0) return {};
  return inDatabase<Pick<OverlayFacts, 'direct'>>(openSwitchDatabase(places.ovsRun), {}, async (database) => ({
    direct: directFaults(
      neighbours,
      announcedHere(await readRows(database, ['Open_vSwitch'])),
      rememberedPodMtu(places) !== null,
    ),
  }));
}

/**
 * Returns the interface types and data path types that ovs-vswitchd supports (ovs-vswitchd.conf.db(5), iface_types and
 * datapath_types). The lists are empty until ovs-vswitchd has started; the result is null if the database does not
 * answer.
 */
async function dataPathOf({ ovsRun }: OverlayPlaces): Promise<Pick<OverlayFacts, 'dataPath'>> {
  const unknown: Pick<OverlayFacts, 'dataPath'> = { dataPath: null };
  return inDatabase(openSwitchDatabase(ovsRun), unknown, async (database) => {
    const [row] = (await readRows(database, ['Open_vSwitch'])).tables.Open_vSwitch ?? [];
    const words = (column: string): string[] => listOf(row ?? null, column).map(String);
    return { dataPath: { interfaceTypes: words('iface_types'), datapathTypes: words('datapath_types') } };
  });
}

/**
 * Returns three facts about the databases. `missing`: columns that the overlay writes and the schemas do not have.
 * `clocks`: the last value of nb_cfg that was requested in NB_Global, and for every other node the last value that it
 * has reported and the time of its report (Chassis_Private). `listeners`: faults of listeners that other programs have
 * opened. `clocks` and `listeners` are null on a node that is not the central node, and `clocks` also if the northbound
 * database does not answer.
 */
async function centralFacts(
  { layout, members, node }: OverlayRecord,
  places: OverlayPlaces,
  now: number,
): Promise<Pick<OverlayFacts, 'missing' | 'clocks' | 'listeners'>> {
  const { ovnRuns, ovsRun } = places;
  const missing = [...(await inDatabase(openSwitchDatabase(ovsRun), [], missingIn))];
  if (members === null) return { missing, clocks: null, listeners: null };
  const open: OpenListener[] = [];
  for (const name of ['OVN_Northbound', 'OVN_Southbound'] as const) {
    missing.push(...(await inDatabase(openCentralDatabase(name, ovnRuns), [], missingIn)));
    const found = await inDatabase(openCentralDatabase(name, ovnRuns), [], async (database) =>
      listenersOf([await readRows(database, ['Connection'])], layout.owner, places),
    );
    open.push(...found);
  }
  const sent = await inDatabase(openCentralDatabase('OVN_Northbound', ovnRuns), null, async (database) => {
    const [row] = (await readRows(database, ['NB_Global'])).tables.NB_Global ?? [];
    return row === undefined ? null : { number: Number(row.nb_cfg ?? 0), atMs: Number(row.sb_cfg_timestamp ?? 0) };
  });
  const done = await inDatabase(openCentralDatabase('OVN_Southbound', ovnRuns), [], async (database) =>
    ((await readRows(database, ['Chassis_Private'])).tables.Chassis_Private ?? []).map((row) => ({
      name: members.find(({ systemId }) => systemId === row.name)?.name ?? textOf(row, 'name'),
      number: Number(row.nb_cfg ?? 0),
      atMs: Number(row.nb_cfg_timestamp ?? 0),
    })),
  );
  const clocks: OverlayClocks | null = sent && {
    nowMs: now,
    sent,
    done: done.filter(({ name }) => name !== node.name),
  };
  const listeners = open.map((one) => ({ message: listenerFault(one), hint: listenerHint(one) }));
  return { missing, clocks, listeners };
}

async function missingIn(database: RowDatabase): Promise<readonly MissingColumn[]> {
  const name = database.name as keyof typeof writtenTables;
  const shape = shapeOfSchema((await database.schema()) as never, Object.keys(writtenTables[name]));
  return missingColumns(name, shape);
}

/**
 * Returns the state of the configured Kubernetes credentials. Returns null if the configuration cannot be read; another
 * check reports that.
 */
async function configuredCredentials(): Promise<OverlayFacts['credentials']> {
  const loaded = await loadedConfig().catch(() => null);
  return loaded === null ? null : readCredentials(loaded.config.overlay.kubeconfig.value);
}

/**
 * Runs a query on a database and closes the connection. Returns `otherwise` if the database does not answer; another
 * check reports that.
 */
async function inDatabase<T>(
  opening: Promise<RowDatabase | null>,
  otherwise: T,
  ask: (database: RowDatabase) => Promise<T>,
): Promise<T> {
  const database = await opening.catch(() => null);
  if (database === null) return otherwise;
  return ask(database)
    .catch(() => otherwise)
    .finally(() => database.close());
}
