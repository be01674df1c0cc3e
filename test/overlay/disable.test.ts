// `overlay pki init` and `overlay disable`: an authority that exists before its cluster, and a node without remains.
import t from 'tap';
import { type Host, missingForHosts, startCentral, startController, startLan } from './hosts.ts';
import { stateOf } from './overlay-state.ts';

const skip = missingForHosts() ?? false;

interface Check {
  readonly id: string;
  readonly verdict: string;
}

t.test('an authority, its cluster, and neither', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  startCentral(n1);
  const isClear = (host: Host): void => {
    // The hostname and the system-id belong to the machine; br-int and vlan-limit belong to an earlier ovn-controller.
    const [ids, config = '', ...rest] = stateOf(host).split('\n');
    t.equal(
      ids,
      `{hostname=${host.name}, system-id=${host.name}-of-the-test}`,
      `${host.name} has no keys of the agent`,
    );
    t.notMatch(config, /bundle-idle-timeout/, 'no setting is left');
    t.strictSame(rest, ['[]', 'br-ex', 'br-int', ''], 'no certificate and no file is left');
    t.notMatch(host.must('ovs-vsctl', 'show'), /ovn-k8s-mp0|geneve/, 'no port is left');
  };
  const join = (): void => {
    // ovn-controller is started again, because `leave` and `disable` stop it.
    startController(n2);
    const { stdout } = n1.agent('overlay', 'pki', 'issue', 'n2', '--system-id', 'n2-of-the-test');
    t.match(n2.agentWith(stdout, 'overlay', 'join', '-'), { status: 0 }, 'n2 joins');
  };

  t.match(n1.agent('overlay', 'disable'), { status: 0, stdout: /Nothing to do: this node is not in an overlay/ });
  t.match(n1.agent('overlay', 'pki', 'init', '--days', '40'), { status: 0, stdout: /ca\.crt is the authority/ });
  const authority = n1.must('cat', '/etc/microshift-net/pki/ca.crt');
  t.match(
    n1.agent('overlay', 'pki', 'init'),
    { status: 2, stderr: /ca\.crt is there already/ },
    'an existing authority is not replaced',
  );
  t.match(
    n1.agent('overlay', 'disable'),
    { status: 0, stdout: /Nothing to do: this node is not in an overlay/ },
    'disable does not remove an authority without a cluster',
  );
  startController(n1);
  t.match(n1.agent('overlay', 'init'), { status: 0 });
  t.equal(n1.must('cat', '/etc/microshift-net/pki/ca.crt'), authority, 'the cluster uses the existing authority');
  t.match(n1.agent('overlay', 'pki', 'show').stdout, /^ca .*\(40 days\)/m);

  join();
  n1.must('ovn-nbctl', '--wait=hv', 'sync');
  for (const host of [n1, n2]) {
    const report = JSON.parse(host.agent('doctor', '--output', 'json').stdout) as { checks: readonly Check[] };
    const verdicts = report.checks.flatMap(({ id, verdict }) => (id.startsWith('overlay') ? [`${id} ${verdict}`] : []));
    const onCentral = host === n1 ? 'ok' : 'not-applicable';
    const wanted = [
      'overlay ok',
      `overlay-member ${host === n1 ? 'not-applicable' : 'ok'}`,
      'overlay-daemon not-applicable',
      ...['overlay-schema', 'overlay-datapath'].map((id) => `${id} ok`),
      'overlay-direct not-applicable',
      `overlay-listeners ${onCentral}`,
      'overlay-credentials not-applicable',
      'overlay-certificates ok',
      `overlay-clocks ${onCentral}`,
    ];
    t.strictSame(verdicts, wanted, `doctor finds no fault on ${host.name}`);
  }
  const whole = stateOf(n1);
  t.match(n1.agent('overlay', 'disable'), { status: 2, stderr: /n2 would be without their central node.*--force/ });
  t.equal(stateOf(n1), whole, 'a refusal changes nothing');
  t.match(n2.agent('overlay', 'disable'), {
    status: 0,
    stdout: /n2 is not in an overlay any more.\n.*leave --node n2/,
  });
  isClear(n2);
  t.match(n1.agent('overlay', 'leave', '--node', 'n2'), { status: 0 });

  join();
  const forced = n1.agent('overlay', 'disable', '--force', '--output', 'json');
  t.match(JSON.parse(forced.stdout), { outcome: 'changed', node: 'n1', cutOff: ['n2'], units: [] });
  isClear(n1);
  t.equal(n1.must('ovn-nbctl', 'show'), '');
  t.equal(n1.must('ovn-sbctl', 'get-connection'), '');
  t.match(n1.run(['ls', '/etc/microshift-net/pki/issued']), { stdout: '' });
  t.match(n2.agent('overlay', 'disable'), { status: 0, stdout: /the central node could not be notified/ });
  isClear(n2);

  n2.write('/etc/microshift-net/pki/node.pem', 'of a join that was cut off');
  t.match(n2.agent('overlay', 'disable'), { status: 0, stdout: /What was left of an overlay on this node is gone/ });
  isClear(n2);
});
