// A run that fails, with a rollback that also fails: the error message, history, status.json, the agent's journal and
// doctor name both failures in their order.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { afterStep, interfered } from './interfere.ts';
import { bootNode } from './node.ts';

interface Failures {
  readonly failures: readonly { readonly kind: string; readonly message: string }[];
}

t.test('the first failure of a run is never hidden by a later one', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'dhcp', kernel: 'of this machine' });
  t.teardown(() => node.halt());
  // The NIC is removed from the machine before the step puts it into the bridge: the step fails, and the NIC's address
  // cannot be restored.
  const run = await interfered(node, afterStep.bridge, () => node.text('ip link delete eth0'));
  t.equal(run.exitCode, 4, run.stderr);
  const lines = run.stderr.split('\n').filter((line) => /^ *(microshift-net|then): /.test(line));
  const [first = '', then = ''] = [lines[0], lines.at(-1)];
  t.match(first, /^microshift-net: .*eth0/);
  t.match(then, /^ {2}then: the old state could not be fully restored: /);
  const status = JSON.parse((await node.read('/run/microshift-net/status.json')) ?? '') as { error: Failures };
  const [change, ...rollback] = status.error.failures;
  t.ok(change !== undefined && first.includes(change.message), 'status.json has the first failure');
  t.equal(rollback.at(-1)?.kind, 'not-restored');

  const [line = ''] = (await node.text('microshift-net history')).split('\n');
  t.ok(line.includes(`${change?.message}; then `), line);
  const { transactions } = JSON.parse(await node.text('microshift-net history --output json')) as {
    transactions: readonly { id: string; detail: string; later: string }[];
  };
  t.match(transactions[0], { state: 'not-restored', detail: change?.message, later: /could not be fully restored/ });
  const shown = await node.text(`microshift-net history ${transactions[0]?.id}`);
  t.ok(shown.includes(`not-restored: ${change?.message}\n  then     `), shown);
  const journal = await node.text('tail -qn 1 /var/lib/microshift-net/tx/*.json');
  t.match(JSON.parse(journal), {
    state: 'not-restored',
    detail: change?.message,
    later: /could not be fully restored/,
  });
  t.ok(
    (await node.text('microshift-net doctor || true')).includes(`${change?.message}; then `),
    'doctor names both failures',
  );
});
