// Random policies and pods: OVN's rows allow what the API documents, and a plan of the affected policies equals a plan
// of all policies.
import t from 'tap';
import { dual, emptyNorthbound, modern } from '../../overlay/cluster.ts';
import { seededRandom } from '../../ovsdb/random.ts';
import { accessListsIn } from './access-evaluator.ts';
import { numbers, oneOf, placesIn, protocols, randomChange } from './random-world.ts';
import { isAllowed } from './reference.ts';
import { allPolicyUnits, applied, concernedPolicyUnits, emptyWorld, factsOf, setPorts } from './world.ts';

/** Number of random worlds; the test of all of them takes a few seconds. */
const runs = 24;
t.test('exactly the packets that the policies allow pass', (t) => {
  let [allowed, refused] = [0, 0];
  for (let number = 0; number < runs; number += 1) {
    const random = seededRandom(number);
    const layout = number % 2 === 0 ? modern : dual;
    const database = emptyNorthbound(number % 3 === 0 ? '26.03' : '23.03');
    const world = emptyWorld();
    try {
      for (let step = 0; step < 12; step += 1) {
        const changes = Array.from({ length: step === 0 ? 20 : 1 + random(3) }, () => randomChange(random, world));
        setPorts(database, world);
        const facts = factsOf(layout, world);
        applied(
          facts,
          database,
          changes.flatMap((change) => concernedPolicyUnits(change, facts)),
        );
        const again = applied(facts, database, allPolicyUnits(facts, database));
        if (again.changes.length > 0)
          throw new Error(`step ${step}: ${JSON.stringify(changes)} also concerns ${JSON.stringify(again.changes[0])}`);
        const lists = accessListsIn(database);
        const places = placesIn(world, layout === dual && random(2) === 0);
        for (const source of places)
          for (const destination of places) {
            if (source === destination) continue;
            const [protocol, port] = [oneOf(random, protocols), oneOf(random, numbers)];
            const expected = isAllowed(world, source, destination, protocol, port);
            if (lists.passes({ source, destination, protocol, port }) !== expected)
              throw new Error(
                `step ${step}: ${source.port ?? source.address} to ${destination.port ?? destination.address}, ${protocol} ${port}: ${JSON.stringify([...world.policies.values()])}`,
              );
            if (expected) allowed += 1;
            else refused += 1;
          }
      }
      for (const map of Object.values(world)) map.clear();
      setPorts(database, world);
      const facts = factsOf(layout, world);
      applied(facts, database, allPolicyUnits(facts, database));
      const left = Object.entries(database.rows().tables).filter(
        ([table, rows]) => rows.length > 0 && table !== 'Logical_Switch',
      );
      t.strictSame(left, [], `seed ${number}: nothing is left`);
    } catch (error) {
      t.fail(`seed ${number}: ${(error as Error).stack}`);
    }
  }
  t.comment(`${allowed} connections allowed, ${refused} refused`);
  t.ok(allowed > 1_000 && refused > 1_000, 'the test met allowed and refused connections');
  t.end();
});
