// Reads a folder of test/cases/overlay.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  NorthboundFacts,
  OverlayGateway,
  OverlayLayout,
  OverlayNode,
  SharedAddresses,
} from '../../../agent/model/overlay.ts';
import type { OverlayPeer } from '../../../agent/model/overlay-peer.ts';
import { planNorthbound } from '../../../agent/overlay/plan-northbound.ts';
import { operationsOf, type RowOperation } from '../../../agent/overlay/rows/row-operations.ts';
import { dual, emptyNorthbound, factsOf, gatewayOf, modern, nodeOf, overlayCases, seed } from './cluster.ts';
import type { ModelDatabase } from './model-database.ts';

type NodeChange = Partial<Omit<OverlayNode, 'gateway'>> & { id: number; gateway?: Partial<OverlayGateway> };

/** Content of facts.json: the differences from a cluster of one node with an empty database. */
interface Facts {
  /** Case whose rows the database already has. */
  readonly after?: string;
  /** True if the case only makes rows for other cases, which do not depend on its own plan. */
  readonly isOnlyBase?: boolean;
  /** Changes of the database before the plan, after the rows of the case `after`. */
  readonly edits?: readonly RowOperation[];
  readonly release?: string;
  readonly layout?: 'modern' | 'dual' | 'seed';
  readonly settings?: Partial<OverlayLayout>;
  readonly nodes?: readonly NodeChange[];
  readonly leaving?: readonly string[];
  readonly peers?: readonly OverlayPeer[];
  readonly holdsPorts?: boolean;
  readonly isDirectOnly?: boolean;
  readonly sharedAddresses?: SharedAddresses;
}

export function caseNames(): readonly string[] {
  return readdirSync(overlayCases, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}

/** Returns true if a case has no recorded plan. */
export function isOnlyBase(name: string): boolean {
  return factsFile(name).isOnlyBase === true;
}

function factsFile(name: string): Facts {
  return JSON.parse(readFileSync(join(overlayCases, name, 'facts.json'), 'utf8')) as Facts;
}

/** Returns the facts of a case, and the database to which they belong. */
export function readCase(name: string): { readonly facts: NorthboundFacts; readonly database: ModelDatabase } {
  const said = factsFile(name);
  const database = said.after === undefined ? emptyNorthbound(said.release) : applied(said.after);
  if (said.edits !== undefined) database.transact(said.edits);
  const layout = { ...{ modern, dual, seed }[said.layout ?? 'modern'], ...said.settings };
  const nodes = (said.nodes ?? []).map(({ id, gateway, ...rest }) =>
    nodeOf(id, { ...rest, gateway: gateway === undefined ? null : gatewayOf(id, gateway) }),
  );
  const { leaving = [], peers = [], holdsPorts = false, isDirectOnly = false } = said;
  const { sharedAddresses } = said;
  const special = {
    layout,
    nodes,
    leaving,
    peers,
    holdsPorts,
    isDirectOnly,
    ...(sharedAddresses && { sharedAddresses }),
  };
  return { facts: factsOf(database.rows(), special), database };
}

function applied(name: string): ModelDatabase {
  const { facts, database } = readCase(name);
  database.transact(operationsOf(planNorthbound(facts), facts.rows.shape));
  return database;
}
