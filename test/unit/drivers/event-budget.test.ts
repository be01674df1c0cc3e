import t from 'tap';
import { createEventBudget } from '../../../agent/drivers/kubernetes/event-budget.ts';

t.test(
  'a namespace may have a burst of Events, a last one that reports omitted ones, and then one every 20 seconds',
  (t) => {
    const budget = createEventBudget();
    const ask = (count: number, nowMs: number) => Array.from({ length: count }, () => budget.ask('web', nowMs));
    t.strictSame(ask(13, 0), [...Array(10).fill('make'), 'last', 'none', 'none']);
    t.equal(budget.ask('other', 0), 'make', 'the budget of another namespace is unchanged');
    t.strictSame(ask(2, 19_000), ['none', 'none']);
    t.strictSame(ask(3, 20_000), ['make', 'last', 'none'], 'the budget grows again after 20 s');
    t.strictSame(
      ask(12, 300_000),
      [...Array(10).fill('make'), 'last', 'none'],
      'after a long pause, the budget is not larger than one burst',
    );
    t.end();
  },
);

t.test('namespaces that come and go are not kept for ever', (t) => {
  const budget = createEventBudget();
  for (let index = 0; index < 11; index += 1) budget.ask('first', 0);
  t.equal(budget.ask('first', 0), 'none');
  for (let index = 0; index < 1000; index += 1) budget.ask(`n${index}`, 0);
  t.equal(budget.ask('first', 0), 'make', 'the namespace with the oldest request has a full budget again');
  t.end();
});
