import { chmodSync } from 'node:fs';
import t from 'tap';
import { startDeadline } from '../../../agent/deadline.ts';
import { waitForKernel } from '../../../agent/drivers/host/kernel/kernel-events.ts';

t.test('a change before the start of `ip monitor` is not missed', async (t) => {
  const folder = t.testdir({ ip: '#!/bin/sh\nexec sleep infinity\n' });
  chmodSync(`${folder}/ip`, 0o755);
  const { PATH } = process.env;
  process.env.PATH = `${folder}:${PATH}`;
  t.teardown(() => (process.env.PATH = PATH));
  const deadline = startDeadline(60_000);
  t.teardown(deadline.clear);
  let asked = 0;
  // Condition that holds from the third check on: the first check is before `ip monitor` starts, the second right after
  // its start.
  const condition = (): boolean => {
    asked += 1;
    return asked > 2;
  };
  await waitForKernel(condition, deadline, 50_000, () => new Error('missed'));
  t.equal(asked, 3);
});
