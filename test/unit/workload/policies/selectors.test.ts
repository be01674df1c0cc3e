import t from 'tap';
import { selects } from '../../../../agent/workload/policies/selectors.ts';

t.test('a label exists if the object has it, also with the name of a property of every object', (t) => {
  for (const key of ['constructor', 'toString', 'app']) {
    t.equal(selects({ matchExpressions: [{ key, operator: 'Exists' }] }, {}), false, `${key} exists`);
    t.equal(selects({ matchExpressions: [{ key, operator: 'DoesNotExist' }] }, {}), true, `${key} does not`);
    t.equal(selects({ matchExpressions: [{ key, operator: 'Exists' }] }, { [key]: '' }), true);
  }
  t.end();
});
