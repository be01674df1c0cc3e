import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { startSurvivor } from '../../../agent/drivers/host/survivor.ts';

t.test('a script that outlives us ignores SIGTERM from the start, and tells a word from our end', async (t) => {
  const directory = t.testdir({});
  const script = 'kill -TERM $$; if read -r _; then : > "$1.told"; else : > "$1.left"; fi; : > "$1.over"';
  for (const [name, end] of [
    ['told', 'tell'],
    ['left', 'hangUp'],
  ] as const) {
    const file = join(directory, name);
    const survivor = await startSurvivor(script, [file]);
    survivor[end]('done');
    while (!existsSync(`${file}.over`)) await setTimeout(10);
    t.ok(existsSync(`${file}.${name}`), name);
  }
});

t.test('one that ends at once is no reason to wait', async () => {
  await startSurvivor('exit 1', []);
});
