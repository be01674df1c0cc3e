// Before which change `undo` goes back to.
import t from 'tap';
import { undoable } from '../../../agent/run/undo.ts';
import { failure } from '../failure.ts';
import { written } from './played-recovery.ts';

t.test('undo goes back to before the last run that changed something, or the one that is named', (t) => {
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
  t.throws(() => id('x'), failure('transaction-not-found', { message: /there is no transaction "x"/ }));
  const none = written(t, { b: 'rolled-back' }).journals;
  t.throws(() => undoable(undefined, none), failure('transaction-not-found', { message: /no transaction to undo/ }));
  t.equal(undoable(undefined, written(t, { a: 'committed', b: 'awaiting-confirm' }).journals).header.id, 'b');
  t.end();
});
