// Golden cases: each folder of test/cases/workload/services is a test, as its README.md describes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { OverlayGateway, OverlayLayout, OverlayNode, ServiceExposure } from '../../../../agent/model/overlay.ts';
import type { OverlayPeer } from '../../../../agent/model/overlay-peer.ts';
import type { WorkloadFacts } from '../../../../agent/workload/part.ts';
import { notServed } from '../../../../agent/workload/services/not-served.ts';
import { outsideOf } from '../../../../agent/workload/services/outside.ts';
import { equalsGolden } from '../../golden-file.ts';
import { applied, dual, dualNode, emptyNorthbound, gatewayOf, modern, nodeOf, seed } from '../../overlay/cluster.ts';
import type { ModelDatabase } from '../../overlay/model-database.ts';
import { planLines } from '../../overlay/plan-lines.ts';
import { type ApiObject, applyAll, factsFor, planAll, serviceObject, sliceObject } from './facts.ts';

const folder = join(import.meta.dirname, '../../../../../test/cases/workload/services');

type NodeChange = Partial<Omit<OverlayNode, 'gateway'>> & { id: number; gateway?: Partial<OverlayGateway> };

interface Case {
  readonly after?: string;
  readonly release?: string;
  readonly layout?: 'modern' | 'dual' | 'seed';
  readonly nodes: readonly NodeChange[];
  readonly exposure?: Partial<ServiceExposure>;
  readonly peers?: readonly OverlayPeer[];
  readonly services: Readonly<
    Record<string, { readonly metadata?: object; readonly spec?: object; readonly status?: object }>
  >;
  readonly slices: readonly (Parameters<typeof sliceObject>[2] & {
    readonly of: string;
    readonly endpoints: Parameters<typeof sliceObject>[1];
  })[];
}

const layouts: Readonly<Record<string, OverlayLayout>> = {
  modern,
  dual,
  seed: { ...seed, clusterSubnets: ['10.42.0.0/16'] },
};

for (const name of readdirSync(folder).filter((entry) => !entry.endsWith('.md'))) {
  t.test(name, (t) => {
    const { facts, database } = readCase(name);
    const plan = planAll(facts, database.rows());
    const outside = outsideOf(facts);
    const reasons = [...facts.workload.services].flatMap(([key, one]) =>
      notServed(one, facts.nodes, outside).map((line) => `${key}: ${line}\n`),
    );
    const refused = reasons.map((line) => `refused ${line}`).join('');
    equalsGolden(t, join(folder, name, 'rows.txt'), `${refused}${planLines(plan, database.rows())}`);
    applyAll(facts, database);
    t.strictSame(planAll(facts, database.rows()).changes, [], 'a second plan has nothing to do');
    t.end();
  });
}

/** Returns the facts of a case, and the database with the rows of the previous case and of the nodes. */
function readCase(name: string): { readonly facts: WorkloadFacts; readonly database: ModelDatabase } {
  const said = JSON.parse(readFileSync(join(folder, name, 'facts.json'), 'utf8')) as Case;
  const layout = layouts[said.layout ?? 'modern'] ?? modern;
  const make = said.layout === 'dual' ? dualNode : nodeOf;
  const nodes = said.nodes.map(({ id, gateway, ...rest }) =>
    make(id, { ...rest, gateway: gateway === undefined ? null : gatewayOf(id, gateway) }),
  );
  let database = emptyNorthbound(said.release);
  if (said.after !== undefined) {
    const before = readCase(said.after);
    applyAll(before.facts, before.database);
    database = before.database;
  }
  applied(database, { layout, nodes, centralNode: 'central' });
  const objects: ApiObject[] = [
    ...Object.entries(said.services).map(([key, { spec, status, metadata }]) =>
      serviceObject(key, spec, status, metadata),
    ),
    ...said.slices.map(({ of, endpoints, ...rest }) => sliceObject(of, endpoints, rest)),
  ];
  const facts = factsFor(objects, nodes, layout);
  const { exposure, peers = [] } = said;
  return { facts: { ...facts, exposure: { ...facts.exposure, ...exposure }, peers }, database };
}
