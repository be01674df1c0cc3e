// Definition of a leak in the soak test.
import t from 'tap';
import { trendsOf } from '../../node/soak/trend.ts';

const faultOf = (name: string, values: readonly number[]): string | null | undefined =>
  trendsOf(
    values.map((value) => ({ [name]: value })),
    {},
  )[0]?.fault;

t.test('a resource that grows with every run is found in six runs', async (t) => {
  for (const name of ['fds NetworkManager', 'fds ovs-vswitchd', 'program sh', 'profiles', 'files in /run'])
    t.match(faultOf(name, [1, 2, 3, 4, 5, 6]), /^more at the end: 1 2 3 4 5 6$/, name);
});

t.test('a resource that was added once and stayed is found', async (t) => {
  t.match(faultOf('program sh', [0, 0, 0, 1, 1, 1]), /^more at the end/);
});

t.test('a resource that is new in the last samples is found', async (t) => {
  const samples = [{}, {}, {}, { 'program sh': 1 }, { 'program sh': 1 }];
  t.match(trendsOf(samples, {}), [{ name: 'program sh', first: 0, last: 1, fault: /^more at the end/ }]);
});

t.test('a number that rises and falls is not reported as growth', async (t) => {
  t.equal(faultOf('program sh', [1, 1, 1, 1, 1, 2]), null);
  t.equal(faultOf('fds NetworkManager', [30, 31, 30, 31, 30, 31]), null);
});

t.test('sockets that vswitchd keeps are not reported as growth', async (t) => {
  t.equal(faultOf('fds ovs-vswitchd', [33, 33, 33, 34, 34, 34]), null);
});

t.test('journals may grow to the number of kept ones, and memory by its usual variation', async (t) => {
  t.equal(faultOf('journals', [3, 9, 20]), null);
  t.equal(faultOf('journals', [3, 9, 21]), 'more than 20');
  t.equal(faultOf('KiB NetworkManager', [8000, 8100, 8200]), null);
  t.equal(faultOf('KiB NetworkManager', [8000, 9000, 12_000]), 'memory that is not released');
});
