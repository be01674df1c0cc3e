import t from 'tap';
import { canonicalCpuList, formatCpuList, parseCpuList } from '../../../agent/net/cpu-set.ts';

t.test('CPU lists', (t) => {
  t.strictSame(parseCpuList('0-2,5 7, 9'), [0, 1, 2, 5, 7, 9]);
  t.strictSame(parseCpuList(''), []);
  t.equal(formatCpuList([0, 1, 2, 5, 7, 8]), '0-2,5,7-8');
  t.equal(formatCpuList([]), '');
  t.equal(canonicalCpuList('3,2,1-2'), '1-3');
  t.end();
});
