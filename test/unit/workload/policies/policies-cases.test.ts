// Golden cases: each folder of test/cases/workload/policies is a test, as its README.md describes.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import t from 'tap';
import type { OverlayLayout } from '../../../../agent/model/overlay.ts';
import { indexRows } from '../../../../agent/overlay/rows/row-index.ts';
import { operationsOf } from '../../../../agent/overlay/rows/row-operations.ts';
import { planWorkload } from '../../../../agent/workload/plan-workload.ts';
import { readPod } from '../../../../agent/workload/pods/read-pod.ts';
import { readNamespace } from '../../../../agent/workload/policies/read-namespace.ts';
import { readPolicy } from '../../../../agent/workload/policies/read-policy.ts';
import { dual, emptyNorthbound, modern, nodeOf, seed } from '../../overlay/cluster.ts';
import type { ModelDatabase } from '../../overlay/model-database.ts';
import { planLines } from '../../overlay/plan-lines.ts';
import { emptyWorld, factsOf, type PolicyWorld, policyUnitsOf, setPorts } from './world.ts';

const folder = join(import.meta.dirname, '../../../../../test/cases/workload/policies');

interface ApiObject {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly name: string };
}

interface Facts {
  readonly after?: string;
  readonly objects?: readonly ApiObject[];
  readonly gone?: readonly string[];
  readonly layout?: 'modern' | 'dual' | 'seed';
  readonly release?: string;
}

interface Case {
  readonly objects: ReadonlyMap<string, ApiObject>;
  readonly layout: OverlayLayout;
  readonly database: ModelDatabase;
}

function factsOfCase(name: string): Facts {
  return load(readFileSync(join(folder, name, 'facts.yaml'), 'utf8')) as Facts;
}

/** Returns the objects of a case, and the database with the rows before the plan. */
function readCase(name: string): Case {
  const { after, objects = [], gone = [], layout = 'modern', release = '23.03' } = factsOfCase(name);
  const before = after === undefined ? null : readCase(after);
  if (before !== null) outcomeOf(before);
  const all = new Map(before?.objects);
  for (const object of objects) all.set(keyOf(object), object);
  for (const key of gone) if (!all.delete(key)) throw new Error(`${name}: ${key} was not there`);
  const database = before?.database ?? emptyNorthbound(release);
  return {
    objects: all,
    layout: before?.layout ?? { modern, dual, seed: { ...seed, clusterSubnets: ['10.42.0.0/16'] } }[layout],
    database,
  };
}

function keyOf({ kind, metadata: { namespace, name } }: ApiObject): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function worldOf(objects: Iterable<ApiObject>): PolicyWorld {
  const world = emptyWorld();
  for (const object of objects) {
    const key = keyOf(object).replace(/^\w+ /, '');
    if (object.kind === 'Namespace') world.namespaces.set(key, readNamespace(object));
    else if (object.kind === 'NetworkPolicy') world.policies.set(key, readPolicy(object));
    else {
      const pod = readPod(object);
      world.pods.set(key, pod);
      world.addresses.set(
        key,
        pod.podIPs.map((address) => `${address}/${address.includes(':') ? 64 : 24}`),
      );
    }
  }
  return world;
}

/** Applies the planned changes of a case to the database, and returns them as text. */
function outcomeOf({ objects, layout, database }: Case): string {
  const world = worldOf(objects.values());
  setPorts(database, world);
  const rows = database.rows();
  const facts = { ...factsOf(layout, world), nodes: [nodeOf(1), nodeOf(2)] };
  const existing = indexRows(rows);
  const plan = planWorkload(facts, existing, rows.shape, policyUnitsOf(facts, existing));
  database.transact(operationsOf(plan, rows.shape));
  return planLines(plan, rows);
}

for (const name of readdirSync(folder).filter((entry) => !entry.endsWith('.md'))) {
  t.test(name, (t) => {
    const one = readCase(name);
    const outcome = outcomeOf(one);
    const path = join(folder, name, 'rows.txt');
    if (process.env.UPDATE_CASES === '1') writeFileSync(path, outcome);
    t.equal(outcome, existsSync(path) ? readFileSync(path, 'utf8') : undefined);
    t.notMatch(outcomeOf(one), /^(add|change|remove) /m, 'a second plan has nothing to do');
    t.end();
  });
}
