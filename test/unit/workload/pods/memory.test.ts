// Objects that are created and deleted for months leave nothing in memory.
import t from 'tap';
import { leftPerTry } from '../../heap.ts';
import { openBook, podOf } from './paper-pods.ts';

t.test('a pod that was deleted', async (t) => {
  const { tell } = openBook();
  const left = await leftPerTry(5_000, (index) => {
    const name = `web-${index}-of-a-deployment`;
    tell({ pods: [podOf(name)] });
    tell({ gone: [`default/${name}`] });
  });
  t.ok(left < 40, `leaves ${left.toFixed(0)} bytes`);
});
