import t from 'tap';
import { selects } from '../../../../agent/workload/policies/selectors.ts';

t.test('a label is there when the object has it, whatever it is called', (t) => {
  for (const key of ['constructor', 'toString', 'app']) {
    t.equal(selects({ matchExpressions: [{ key, operator: 'Exists' }] }, {}), false, `${key} exists`);
    t.equal(selects({ matchExpressions: [{ key, operator: 'DoesNotExist' }] }, {}), true, `${key} does not`);
    t.equal(selects({ matchExpressions: [{ key, operator: 'Exists' }] }, { [key]: '' }), true);
  }
  t.end();
});
