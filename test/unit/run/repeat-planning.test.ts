// Only the planning is repeated if a service stops during a run, and nothing that comes after the plan.
import t from 'tap';
import { vanished } from '../../../agent/drivers/networkmanager/nm-errors.ts';
import { AgentError } from '../../../agent/errors.ts';
import { repeatUntilPlanned } from '../../../agent/run/repeat-planning.ts';

interface Run {
  readonly said: readonly string[];
  readonly opened: readonly string[];
  readonly result: unknown;
}

/**
 * Runs work whose attempts fail with these errors, each before or after the plan; the attempt after the last error
 * succeeds.
 */
async function run(failures: readonly { readonly error: Error; readonly isPlanned: boolean }[]): Promise<Run> {
  const said: string[] = [];
  const opened: string[] = [];
  const left = [...failures];
  const open = (how: string) => async () => {
    opened.push(how);
    return how;
  };
  const work = async (how: string, planned: () => void): Promise<string> => {
    const failure = left.shift();
    if (failure === undefined || failure.isPlanned) planned();
    if (failure !== undefined) throw failure.error;
    return how;
  };
  const result = await repeatUntilPlanned({ open: open('open'), reopen: open('reopen'), work }, (line) =>
    said.push(line),
  ).catch((error: unknown) => error);
  return { said, opened, result };
}

t.test('a service that stops before the plan is waited for', async (t) => {
  const stops = { error: vanished(), isPlanned: false };
  const line = 'NetworkManager stopped while it was being used; the node is observed again when it runs again';
  t.strictSame(await run([stops]), { said: [line], opened: ['open', 'reopen'], result: 'reopen' });
  t.match(await run([stops, stops]), { said: [line, line], opened: ['open', 'reopen', 'reopen'], result: 'reopen' });
});

t.test('a service that stops after the plan fails the run, which rolls back', async (t) => {
  const error = vanished();
  t.strictSame(await run([{ error, isPlanned: true }]), { said: [], opened: ['open'], result: error });
});

t.test('planning is not repeated after another failure', async (t) => {
  const error = new AgentError('no-uplink', 'no suitable interface');
  t.strictSame(await run([{ error, isPlanned: false }]), { said: [], opened: ['open'], result: error });
});

t.test('a service that does not run again within the limit fails the run with its error', async (t) => {
  const error = new AgentError('networkmanager-not-running', 'NetworkManager is not running');
  const result = repeatUntilPlanned(
    {
      open: async () => 'open',
      reopen: async () => {
        throw error;
      },
      work: async () => {
        throw vanished();
      },
    },
    () => undefined,
  );
  await t.rejects(result, error);
});
