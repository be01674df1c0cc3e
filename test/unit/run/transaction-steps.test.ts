// Failure of every kind of step of the golden cases in the middle of a transaction, and the neighbours that are queried
// before and after the steps. Programs are simulated, and the test does not change the machine.
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { answersPing } from '../../../agent/drivers/host/kernel/reachability.ts';
import { AgentError } from '../../../agent/errors.ts';
import type { MovedAddresses, Step } from '../../../agent/model/plan.ts';
import { planDisable } from '../../../agent/plan/make-plan.ts';
import { caseNames, planOfCase, readCase } from '../plan/cases.ts';
import { checkpoint, type Played, refused, run, stepOf, stopped, takenBack, untouched } from './played-transaction.ts';

/** Address that every machine has, recorded as if a step carried it from one link to another. */
const carried: MovedAddresses = { interface: 'lo', from: 'lo', addresses: ['127.0.0.1/8'], defaultGateways: [] };
/** Node whose administrator is logged in by SSH; the run pings the SSH client before and after the steps. */
const before = { ...untouched, host: { ...untouched.host, sshPeer: '127.0.0.9' } };
/** A step that can move the node's addresses. */
const moving: Step = {
  do: 'deleteProfiles',
  profiles: [{ id: 'old', uuid: 'old' }],
  bridges: [],
  why: 'it is not wanted',
};
const deletes = {
  profilePathOf: async () => '/profile',
  deleteProfile: async () => undefined,
  property: async () => [],
};

t.test('after the refusal or interruption of any kind of step, the old state is restored once', async (t) => {
  const { fresh } = play(t, 'ip', 'case "$*" in *monitor*) exec /bin/sleep 60;; esac; exit 1');
  const refuse = async (): Promise<never> => {
    throw refused();
  };
  const isPlayed = (name: unknown): boolean => name === 'first' || name === 'last';
  for (const step of oneOfEachKind()) {
    const ran = await run(t, {
      directory: fresh(),
      plan: { steps: [stepOf('first'), step, stepOf('last')] },
      nm: { onSignal: () => () => undefined },
      ovs: { attachUplink: refuse, detachUplink: refuse, removeBridges: refuse, claimBridge: refuse },
      answer: (call) => {
        if (call.startsWith('step ') && !isPlayed(call.slice(5))) throw refused();
      },
      // A step that is not refused waits for a change of the kernel that never happens, so the test interrupts it.
      progress: (line, { deadline }) => {
        if (line.startsWith('2/') && line.endsWith('started')) deadline.interrupt(stopped());
      },
    });
    takenBack(t, ran, checkpoint, step.do);
    t.ok(ran.calls.includes('step first') && !ran.calls.includes('step last'), `${step.do}: no later step is run`);
  }
});

t.test('a host that answers only before the change fails the run', async (t) => {
  const { file, fresh } = play(t, 'ping', '[ ! -e "$0.after" ]');
  const plan = { steps: [moving], carried: [carried] };
  const ran = await run(t, {
    directory: fresh(),
    plan,
    nm: deletes,
    before,
    at: (point) => {
      if (point === 'after step 1') writeFileSync(`${file}.after`, '');
    },
  });
  takenBack(t, ran, checkpoint);
  t.match(ran.error, { kind: 'proof-failed', message: /^the SSH client 127\.0\.0\.9 answered before the change/ });
  t.strictSame(ran.progress.slice(-2), ['2/3 prove started', '2/3 prove failed']);
});

t.test('a host that did not answer before need not answer afterwards', async (t) => {
  const { fresh } = play(t, 'ping', 'exit 1');
  const { result } = await run(t, {
    directory: fresh(),
    plan: { steps: [moving], carried: [carried] },
    nm: deletes,
    before,
  });
  t.equal(result?.state, 'committed');
});

t.test('the pings of the neighbours end before the first step that moves addresses', async (t) => {
  const { file, fresh } = play(t, 'ping', 'while [ ! -e "$0.go" ]; do /bin/sleep 0.01; done; : > "$0.asked"; exit 1');
  let askedAtFirst: boolean | undefined;
  let askedAtMoving: boolean | undefined;
  const ran = await run(t, {
    directory: fresh(),
    plan: { steps: [stepOf('first'), moving], carried: [carried] },
    nm: deletes,
    before,
    at: (point) => {
      if (point === 'after step 1') {
        askedAtFirst = existsSync(`${file}.asked`);
        writeFileSync(`${file}.go`, '');
      }
      if (point === 'before step 2') askedAtMoving = existsSync(`${file}.asked`);
    },
  });
  t.strictSame([askedAtFirst, askedAtMoving], [false, true]);
  t.equal(ran.result?.state, 'committed');
});

t.test('without the program ping, the run is rolled back before an address moves', async (t) => {
  const { fresh } = play(t, 'ping', null);
  const ran = await run(t, {
    directory: fresh(),
    plan: { steps: [stepOf('first'), moving], carried: [carried] },
    nm: deletes,
    before,
    // This ping starts after the pings of the neighbours, so all of them have failed when this one fails.
    at: async (point) => {
      if (point !== 'before step 1') return;
      await answersPing('127.0.0.1', 'lo').catch(() => undefined);
      await setImmediate();
    },
  });
  takenBack(t, ran, checkpoint);
  t.match(ran.error, { kind: 'command-missing' });
  t.strictSame(ran.calls, ['probe', 'CheckpointCreate', 'step first']);
});

for (const [what, missing] of [
  ['an address', { ...carried, addresses: ['192.0.2.99/24'] }],
  ['a default route', { ...carried, defaultGateways: ['192.0.2.1'] }],
] as const)
  t.test(`the proof waits for ${what} until the run is stopped`, async (t) => {
    const { fresh } = play(t, 'ip', 'exec /bin/sleep 60');
    const gaveUp = new AgentError('deadline-exceeded', 'the run did not end within 150 s');
    const at: Played['at'] = (point, { deadline }) => {
      if (point === 'before step 2') setImmediate().then(() => deadline.interrupt(gaveUp));
    };
    const ran = await run(t, {
      directory: fresh(),
      plan: { steps: [stepOf('a')], carried: [missing] },
      at,
    });
    takenBack(t, ran, checkpoint);
    t.match(ran.error, { kind: 'deadline-exceeded' });
    t.notOk(ran.calls.includes('observe'), 'the run waits in its proof');
  });

/** Returns the first step of each kind in the plans of the cases, both forward and back. */
function oneOfEachKind(): readonly Step[] {
  const found = new Map<string, Step>();
  for (const name of caseNames()) {
    for (const step of stepsOf(name)) if (!found.has(step.do)) found.set(step.do, step);
  }
  // The steps get a NIC that no machine has, so that they change nothing.
  const elsewhere = (key: string, value: unknown): unknown => (key === 'interface' && value ? 'nowhere' : value);
  return [...found.values()].map((step) => JSON.parse(JSON.stringify(step), elsewhere) as Step);
}

function stepsOf(name: string): readonly Step[] {
  const one = readCase(name);
  try {
    return (one.command === 'disable' ? planDisable(one.observation) : planOfCase(one)).steps;
  } catch {
    // The plan of the case is refused, or waits.
    return [];
  }
}

interface Programs {
  /** Path of the program that replaces the real one. */
  readonly file: string;
  /** Creates a directory for the journals of one run, and returns its path. */
  readonly fresh: () => string;
}

/** Simulates a machine that has only the program with this name; null for no program at all. */
function play(t: Test, name: string, script: string | null): Programs {
  const root = t.testdir({ programs: {} });
  const file = join(root, 'programs', name);
  if (script !== null) writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const path = process.env.PATH;
  process.env.PATH = join(root, 'programs');
  t.teardown(() => {
    process.env.PATH = path;
  });
  return { file, fresh: () => join(mkdtempSync(join(root, 'run-')), 'tx') };
}
