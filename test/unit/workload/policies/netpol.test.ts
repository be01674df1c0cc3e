// The Kubernetes project's cases, evaluated on planned rows. test/overlay/policies.test.ts uses OVN itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { emptyNorthbound, modern } from '../../overlay/cluster.ts';
import { accessListsIn } from './access-evaluator.ts';
import { addressOf, netpolCases } from './netpol-cases.ts';
import { changeWorld, netpolWorld } from './netpol-world.ts';
import { allPolicyUnits, applied, concernedPolicyUnits, factsOf, setPorts } from './world.ts';

for (const { title, steps } of netpolCases) {
  t.test(title, (t) => {
    const [world, database] = [netpolWorld(), emptyNorthbound('26.03')];
    setPorts(database, world);
    const facts = factsOf(modern, world);
    applied(facts, database, allPolicyUnits(facts, database));
    for (const step of steps) {
      const changes = changeWorld(world, step);
      applied(
        facts,
        database,
        changes.flatMap((change) => concernedPolicyUnits(change, facts)),
      );
      const lists = accessListsIn(database);
      const end = (pod: string) => ({ port: pod.replace('/', '_'), address: addressOf[pod] ?? '' });
      for (const { port, protocol, isOpen } of step.probes) {
        const wrong = [...world.pods.keys()].flatMap((from) =>
          [...world.pods.keys()].filter(
            (to) =>
              from !== to &&
              lists.passes({ source: end(from), destination: end(to), protocol, port }) !== isOpen(from, to),
          ),
        );
        t.strictSame(wrong, [], `${protocol} ${port}`);
      }
    }
    t.end();
  });
}

t.test('the table of the documentation has every case', (t) => {
  const page = readFileSync(join(import.meta.dirname, '../../../../../docs/use/network-policy.md'), 'utf8');
  const listed = [...page.matchAll(/^\| (.*?) \| yes/gm)].map(([, title]) => title);
  t.strictSame(
    listed,
    netpolCases.map(({ title }) => title),
  );
  t.end();
});
