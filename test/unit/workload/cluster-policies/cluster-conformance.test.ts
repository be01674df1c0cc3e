// The cases of the conformance tests for ClusterNetworkPolicy, evaluated on planned rows.
// test/overlay/cluster-policies.test.ts uses OVN itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { withoutLength } from '../../../../agent/overlay/addresses.ts';
import { emptyNorthbound, modern, nodeOf } from '../../overlay/cluster.ts';
import { accessListsIn } from '../policies/access-evaluator.ts';
import { allPolicyUnits, applied, concernedPolicyUnits, factsOf, setPorts } from '../policies/world.ts';
import { cases, changeCluster, conformanceWorld } from './conformance-world.ts';

for (const { title, steps } of cases) {
  t.test(title, (t) => {
    const [world, database] = [conformanceWorld(), emptyNorthbound('26.03')];
    setPorts(database, world);
    const nodes = [nodeOf(1), nodeOf(2)];
    const facts = { ...factsOf(modern, world), nodes };
    applied(facts, database, allPolicyUnits(facts, database));
    for (const step of steps) {
      const changes = changeCluster(world, step);
      applied(
        facts,
        database,
        changes.flatMap((change) => concernedPolicyUnits(change, facts)),
      );
      t.strictSame(
        applied(facts, database, allPolicyUnits(facts, database)).changes,
        [],
        'a plan for everything has no further changes',
      );
      const lists = accessListsIn(database);
      const ends = [
        ...[...world.addresses].map(([key, [address = '']]) => ({
          of: key.replace(/\/.*/, ''),
          port: key.replace('/', '_'),
          address: withoutLength(address),
        })),
        { of: 'node', port: null, address: nodes[0]?.hostAddresses[0] ?? '' },
      ];
      for (const { port, protocol, isOpen } of step.probes) {
        const wrong = ends.flatMap((source) =>
          ends
            .filter((destination) => {
              if (source.of === destination.of || source.of === 'node') return false;
              return lists.passes({ source, destination, protocol, port }) !== isOpen(source.of, destination.of);
            })
            .map((destination) => `${source.port} ${destination.port ?? destination.of}`),
        );
        t.strictSame(wrong, [], `${protocol} ${port}`);
      }
    }
    t.end();
  });
}

t.test('the table of the documentation has every case', (t) => {
  const page = readFileSync(join(import.meta.dirname, '../../../../../docs/use/cluster-policies.md'), 'utf8');
  const listed = [...page.matchAll(/^\| (CNP.*?) \| passed/gm)].map(([, title]) => title);
  t.strictSame(
    listed,
    cases.map(({ title }) => title),
  );
  t.end();
});
