// Sentences for errors of the operating system, with the error's code at the end.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import t from 'tap';
import { messageOf } from '../../agent/errors.ts';

t.test('a real error of the operating system is reported as a sentence', async (t) => {
  const thrown = (work: () => unknown): string => {
    try {
      work();
      return 'nothing';
    } catch (error) {
      return messageOf(error);
    }
  };
  const folder = t.testdir({});
  const missing: readonly (readonly [work: () => unknown, text: string])[] = [
    [() => readFileSync(`${folder}/absent`), 'the file does not exist'],
    [() => readFileSync(`${folder}/absent/file`), `the directory ${folder}/absent does not exist`],
    [() => writeFileSync(`${folder}/absent/file`, ''), `the directory ${folder}/absent does not exist`],
    [() => mkdirSync(`${folder}/absent/one`), `the directory ${folder}/absent does not exist`],
    [() => readdirSync(`${folder}/absent`), 'the directory does not exist'],
    [() => mkdirSync('/proc/absent'), 'no directory can be made there'],
  ];
  for (const [work, text] of missing) t.equal(thrown(work), `${text} (ENOENT)`);
  t.equal(
    thrown(() => readFileSync('/')),
    'it is a directory (EISDIR)',
  );
  t.equal(
    thrown(() => readFileSync('/etc/passwd/below')),
    'a part of the path is not a directory (ENOTDIR)',
  );
  const refused = await new Promise((resolve) => connect('/no/such.sock').on('error', resolve));
  t.equal(messageOf(refused), 'no service listens at /no/such.sock (ENOENT)');
  t.equal(messageOf(new Error('spoken')), 'spoken', 'other errors keep their message');
  t.equal(messageOf('text'), 'text');
});
