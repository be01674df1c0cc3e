// The output of every command goes through one module.
import t, { type Test } from 'tap';
import { openOutput } from '../../../agent/commands/output.ts';
import { reporting } from '../../../agent/commands/reporting.ts';
import { AgentError } from '../../../agent/errors.ts';

const hostile = 'eth0\x1b[2J\u202e\x9bx';
const shown = 'eth0\\u{1b}[2J\\u{202e}\\u{9b}x';

/** Returns the text written to standard output and standard error. */
function written(t: Test, act: () => void): { stdout: string; stderr: string } {
  const streams = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    t.intercept(process[name], 'write', {
      value: (text: string) => {
        streams[name] += text;
        return true;
      },
    });
  }
  act();
  return streams;
}

t.test('the output of a command as text', async (t) => {
  const output = openOutput('text', true);
  const error = new AgentError('step-failed', hostile, { hint: hostile, facts: { fact: hostile } });
  const { stdout, stderr } = written(t, () => {
    output.result(`${hostile}\nsecond line`, null);
    output.say(`${hostile}\nno line`);
    output.announce({ kind: 'committed', text: hostile, transaction: null });
    output.fail(error, null);
  });
  t.equal(stdout, `${shown}\nsecond line\n`);
  t.equal(
    stderr,
    [
      `${shown}\\nno line`,
      shown,
      `microshift-net: ${shown}; ${shown}`,
      '  kind: step-failed',
      `  fact: ${shown}`,
      '',
    ].join('\n'),
  );
});

t.test('progress and errors have no colours if only standard output is a terminal', (t) => {
  t.intercept(process, 'env', { value: { ...process.env, TERM: 'xterm', NO_COLOR: '' } });
  t.intercept(process.stdout, 'isTTY', { value: true });
  t.intercept(process.stderr, 'isTTY', { value: false });
  const output = openOutput('text', true);
  const { stdout, stderr } = written(t, () => {
    output.result(output.style('red', 'result'), null);
    reporting(output).progress({ index: 0, total: 2, step: 'prove', state: 'failed', tookMs: 1 });
    output.fail(new AgentError('step-failed', 'it failed'), null);
  });
  t.equal(stdout, '\u001b[31mresult\u001b[39m\n');
  t.match(stderr, /prove that the node is reachable … failed\nmicroshift-net: it failed\n/);
  t.end();
});

t.test('the value of a command as JSON', (t) => {
  const output = openOutput('json', false);
  const { stdout } = written(t, () =>
    output.result('', { command: 'confirm', outcome: 'confirmed', transaction: hostile }),
  );
  t.notMatch(stdout, /\p{Bidi_C}|(?!\n)\p{Cc}/u);
  t.match(JSON.parse(stdout), { transaction: hostile });
  t.end();
});
