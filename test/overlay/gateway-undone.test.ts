// `overlay gateway` that fails after it has written flows: the bridge has its previous flows again.
import t from 'tap';
import { flowCookie } from '../../agent/overlay/services/shared-bridge-flows.ts';
import { configure, dualStack, form } from './form.ts';
import { type Host, missingForHosts, startLan } from './hosts.ts';
import { state, take } from './outside.ts';

const skip = missingForHosts() ?? false;

const hops = '192.0.2.254,2001:db8::fe';

/** Returns the agent's flows of br-ex without their counters. */
function flows({ must }: Host): readonly string[] {
  const dump = must('ovs-ofctl', '--no-stats', 'dump-flows', 'br-ex', `cookie=${flowCookie}/-1`);
  return dump.trim().split('\n').toSorted();
}

t.test('a gateway that could not be proved', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  for (const [host, six] of [
    [n1, '2001:db8::11'],
    [n2, '2001:db8::12'],
  ] as const) {
    configure(host, dualStack);
    host.must('ip', 'address', 'add', `${six}/64`, 'dev', 'br-ex', 'nodad');
  }
  form(t, [n1, n2]);
  const one = ['--address', '192.0.2.12/24', '--next-hop', '192.0.2.254'];
  t.match(n2.agent('overlay', 'gateway', ...one), { status: 0, stdout: /as 192\.0\.2\.12\./ });
  take(n1, n2, 'br-ex_n2');
  t.match(n2.agent('overlay', 'apply'), { status: 0 });
  const [before, made] = [state(n2), flows(n2)];
  t.ok(made.length > 5);
  t.notMatch(made.join(), /ipv6/);

  n1.must('sh', '-c', 'kill -STOP $(cat /run/ovn/ovnsb_db.pid)');
  const failed = n2.agent('overlay', 'gateway', '--address', '192.0.2.12/24,2001:db8::12/64', '--next-hop', hops);
  t.match(
    failed,
    { status: 5, stderr: /flows and tables of inbound services to change.*\n(.*\n)*.*rolling back/ },
    'flows were set',
  );
  t.strictSame(flows(n2), made, 'the flows are the same as before');
  t.equal(state(n2), before);
  n1.must('sh', '-c', 'kill -CONT $(cat /run/ovn/ovnsb_db.pid)');
  t.match(n2.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ }, 'a second run has nothing to repair');
});
