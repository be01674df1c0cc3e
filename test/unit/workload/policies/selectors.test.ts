import t from 'tap';
import { selects } from '../../../../agent/workload/policies/selectors.ts';

t.test('a label exists if the object has it, even if its name is a property of every JavaScript object', (t) => {
  for (const key of ['constructor', 'toString', 'app']) {
    t.equal(selects({ matchExpressions: [{ key, operator: 'Exists' }] }, {}), false, `${key} exists`);
    t.equal(selects({ matchExpressions: [{ key, operator: 'DoesNotExist' }] }, {}), true, `${key} does not exist`);
    t.equal(selects({ matchExpressions: [{ key, operator: 'Exists' }] }, { [key]: '' }), true);
  }
  t.end();
});
