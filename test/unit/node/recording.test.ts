// Recordings of demonstrations: header, times and line ends of asciicast v2.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startRecording } from '../../node/recording.ts';

const linesOf = (path: string): readonly unknown[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

t.test('every output has its time since the start', (t) => {
  const path = join(t.testdir(), 'demo.cast');
  let nowMs = 1_700_000_000_500;
  const record = startRecording(path, 'a title', () => nowMs);
  nowMs += 250;
  record('── heading ──\n\n');
  nowMs += 2_000;
  record('\u001B[32mok\u001B[0m\r\n');
  t.strictSame(linesOf(path), [
    { version: 2, width: 132, height: 40, timestamp: 1_700_000_000, title: 'a title', idle_time_limit: 3 },
    [0.25, 'o', '── heading ──\r\n\r\n'],
    [2.25, 'o', '\u001B[32mok\u001B[0m\r\n'],
  ]);
  t.end();
});

t.test('a new recording replaces the file', (t) => {
  const path = join(t.testdir({ 'demo.cast': 'old\nold\n' }), 'demo.cast');
  startRecording(path, 'new', () => 0);
  t.strictSame(linesOf(path), [{ version: 2, width: 132, height: 40, timestamp: 0, title: 'new', idle_time_limit: 3 }]);
  t.end();
});

t.test('RECORD names the file for the output of a demonstration', (t) => {
  const path = join(t.testdir(), 'demo.cast');
  const program = `import(${JSON.stringify(new URL('../../node/telling.js', import.meta.url).href)}).then(({ say }) => say('hello'))`;
  const run = (record: string) =>
    spawnSync(process.execPath, ['--eval', program], { encoding: 'utf8', env: { ...process.env, RECORD: record } });
  t.equal(run(path).stdout, 'hello\n');
  t.match(linesOf(path), [{ version: 2 }, [Number, 'o', 'hello\r\n']]);
  t.equal(run('').stdout, 'hello\n', 'an empty RECORD records nothing');
  t.end();
});
