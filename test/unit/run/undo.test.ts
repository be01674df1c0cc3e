// Choice of the change that `undo` reverts.
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { undoable } from '../../../agent/run/undo.ts';
import { failure } from '../failure.ts';
import { written } from './played-recovery.ts';

/** Commands of systemd's units that can change the node's bridges. */
const ofUnits = readdirSync('systemd', { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(service|conf)$/.test(file))
  .flatMap(
    (file) =>
      readFileSync(`systemd/${file}`, 'utf8').match(/(?<=\/usr\/bin\/microshift-net )[a-z]+( [-a-z]+)?( --stop)?/g) ??
      [],
  )
  .filter((command) => !/^(manifests|overlay)|--boot$/.test(command) || command === 'apply --boot');

t.test('undo restores the state before the last run that changed something, or before the named run', (t) => {
  const { journals } = written(t, {
    a1: 'confirmed',
    a2: 'committed',
    b: 'rolled-back',
    c: 'reverted',
    d: 'not-restored',
  });
  const id = (named?: string): string => undoable(named, journals).header.id;
  t.equal(id(), 'a2');
  t.equal(id('a1'), 'a1');
  const changedNothing = failure('transaction-not-found', { message: /changed nothing that could be undone: it is/ });
  for (const named of ['b', 'c', 'd']) t.throws(() => id(named), changedNothing, named);
  t.throws(() => id('a'), failure('transaction-not-found', { message: /several/ }));
  t.throws(
    () => id('x'),
    failure('transaction-not-found', { message: /no transaction has an id that begins with "x"/ }),
  );
  const none = written(t, { b: 'rolled-back' }).journals;
  t.throws(() => undoable(undefined, none), failure('transaction-not-found', { message: /no transaction to undo/ }));
  t.equal(undoable(undefined, written(t, { a: 'committed', b: 'awaiting-confirm' }).journals).header.id, 'b');
  t.end();
});

t.test('undo skips changes that a unit made by itself', (t) => {
  for (const command of ofUnits) {
    const states = { a: 'committed', b: 'confirmed', c: 'committed', d: 'rolled-back' } as const;
    const { journals } = written(t, states, { c: command });
    t.equal(undoable(undefined, journals).header.id, 'b', command);
    t.equal(undoable('c', journals).header.id, 'c', `${command}, by its id`);
  }
  const { journals } = written(t, { a: 'committed', b: 'committed' }, { a: 'apply --boot', b: 'apply --repair' });
  t.throws(
    () => undoable(undefined, journals),
    failure('transaction-not-found', { message: /`apply --repair` made the last one/, facts: { transaction: 'b' } }),
  );
  t.equal(undoable(undefined, written(t, { a: 'committed', u: 'committed' }, { u: 'undo a' }).journals).header.id, 'u');
  t.end();
});
