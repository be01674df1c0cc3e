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

/**
 * Content of facts.json: the differences from the case `after`, or from a cluster of one node with an empty database.
 */
interface Facts extends Inherited {
  /** Case whose rows the database already has. */
  readonly after?: string;
  /** True if the case only makes rows for other cases, which do not depend on its own plan. */
  readonly isOnlyBase?: boolean;
  /** Changes of the database before the plan, after the rows of the case `after`. */
  readonly edits?: readonly RowOperation[];
  readonly release?: string;
  /** Nodes of the case `after` by number, each with a merge patch (RFC 7396), and further nodes. */
  readonly changed?: readonly NodeChange[];
  readonly leaving?: readonly string[];
  readonly holdsPorts?: boolean;
  readonly isDirectOnly?: boolean;
  readonly sharedAddresses?: SharedAddress;
}

/** Facts that a case has from the case `after`, unless it has its own. */
interface Inherited {
  readonly layout?: 'modern' | 'dual' | 'seed';
  readonly settings?: Partial<OverlayLayout>;
  readonly nodes?: readonly NodeChange[];
  readonly peers?: readonly OverlayPeer[];
}

/** Reports about the address that the nodes of a case share; nodes are numbers. */
interface SharedAddress {
  readonly holder: number;
  readonly unreached?: readonly number[];
  readonly unconfirmed?: readonly number[];
  readonly answers?: Readonly<Record<number, number>>;
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
  const { layout, settings, nodes, peers } = withInherited(said);
  const { leaving = [], holdsPorts = false, isDirectOnly = false, sharedAddresses } = said;
  const special = {
    layout: { ...{ modern, dual, seed }[layout], ...settings },
    nodes: nodes.map(({ id, gateway, ...rest }) =>
      nodeOf(id, { ...rest, gateway: gateway === undefined ? null : gatewayOf(id, gateway) }),
    ),
    leaving,
    peers,
    holdsPorts,
    isDirectOnly,
    ...(sharedAddresses && { sharedAddresses: sharedBy(sharedAddresses) }),
  };
  return { facts: factsOf(database.rows(), special), database };
}

const withoutNodes: Required<Inherited> = { layout: 'modern', settings: {}, nodes: [], peers: [] };

function withInherited({
  after,
  layout,
  settings,
  nodes,
  peers,
  changed = [],
  leaving = [],
}: Facts): Required<Inherited> {
  const before = after === undefined ? withoutNodes : withInherited(factsFile(after));
  const present = before.nodes.filter(({ id }) => !leaving.includes(`n${id}`));
  const patchOf = (id: number): NodeChange | undefined => changed.find((node) => node.id === id);
  const further = changed.filter(({ id }) => !present.some((node) => node.id === id));
  return {
    layout: layout ?? before.layout,
    settings: settings ?? before.settings,
    nodes: nodes ?? [...present.map((node) => merged(node, patchOf(node.id) ?? {}) as NodeChange), ...further],
    peers: peers ?? before.peers,
  };
}

/** Applies a merge patch to an object (RFC 7396, section 2). */
function merged(target: object, patch: object): object {
  const result = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, isObject(value) ? merged(result.get(key) ?? {}, value) : value);
  }
  return Object.fromEntries(result);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && !Array.isArray(value);

function sharedBy({ holder, unreached = [], unconfirmed = [], answers }: SharedAddress): SharedAddresses {
  const chassis = (id: number): string => nodeOf(id).systemId;
  return {
    holders: { 'rtoe-vip_192.0.2.100': chassis(holder) },
    unreached: unreached.map(chassis),
    unconfirmed: unconfirmed.map(chassis),
    ...(answers && {
      answers: Object.fromEntries(Object.entries(answers).map(([id, value]) => [chassis(Number(id)), value])),
    }),
  };
}

function applied(name: string): ModelDatabase {
  const { facts, database } = readCase(name);
  database.transact(operationsOf(planNorthbound(facts), facts.rows.shape));
  return database;
}
