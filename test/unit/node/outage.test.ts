// Calculation of outages from replies, for the tests of booted nodes.
import t from 'tap';
import { outageBetween } from '../../node/outage.ts';

/** Returns the times of replies every 10 ms, except during these pauses. */
const replies = (...silent: readonly (readonly [from: number, to: number])[]): number[] =>
  Array.from({ length: 100 }, (_, i) => i * 10).filter(
    (time) => !silent.some(([from, to]) => time > from && time < to),
  );

t.equal(
  outageBetween({ times: replies(), stops: [] }, 100, 900, 10).longestMs,
  0,
  'there is no silence if all replies arrived',
);
t.match(
  outageBetween({ times: replies([200, 300], [400, 550]), stops: [] }, 100, 900, 10),
  { longestMs: 150, totalMs: 250, silences: [{ fromMs: 200, ms: 100 }, { fromMs: 400 }] },
  'two silences are added up',
);
t.equal(
  outageBetween({ times: replies([50, 150]), stops: [] }, 100, 900, 10).longestMs,
  100,
  'a silence counts from the start of the period',
);
t.equal(
  outageBetween({ times: [], stops: [] }, 100, 900, 10).longestMs,
  800,
  'without a reply, the silence is as long as the period',
);
t.equal(
  outageBetween({ times: replies([200, 300]), stops: [{ fromMs: 210, toMs: 295 }] }, 100, 900, 10).longestMs,
  0,
  'a time without requests is not a silence',
);
t.match(
  outageBetween({ times: replies([200, 500]), stops: [{ fromMs: 150, toMs: 300 }] }, 100, 900, 10),
  { longestMs: 200, stoppedMs: 150 },
  'only times without a request are left out, and reported',
);
t.strictSame(
  outageBetween({ times: [100, 140, 180, 300, 340], stops: [] }, 100, 340, 40).silences,
  [{ fromMs: 180, ms: 120 }],
  'two intervals of the pings or fewer are not a silence',
);
