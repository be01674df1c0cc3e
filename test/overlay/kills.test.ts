// `overlay` commands that are killed before any of their effects: the node is unchanged or in the cluster, and the next
// run completes the work.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { type Host, missingForHosts, startCentral, startController, startLan } from './hosts.ts';
import { type Change, killAtEveryEffect, killInTurn } from './kills.ts';
import { stateOf } from './overlay-state.ts';

const skip = missingForHosts() ?? false;
const record = '/var/lib/microshift-net/overlay.json';
const bundle = '/tmp/bundle';
const controllerPid = '/run/ovn/ovn-controller.pid';

/** Returns the state of a node in no cluster: its keys, ports, and files. */
function remainsOf(host: Host): string {
  const pki = host.run(['ls', '-A', '/etc/microshift-net/pki']).stdout;
  const ports = host.must('ovs-vsctl', 'show').match(/ovn-k8s-mp0|geneve/g) ?? [];
  return `${stateOf(host).replace(/.*\n.*\n/, '')}${pki}${ports.join()}`;
}

t.test('every command is killed before each of its effects', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  startCentral(n1);
  for (const host of [n1, n2]) startController(host);
  const clear = remainsOf(n2);
  // ovn-controller is started again, because the killed run may have stopped it.
  const startAgain = (host: Host): void => {
    host.run(['sh', '-c', `kill -KILL "$(cat ${controllerPid})"; rm -f ${controllerPid}`]);
    startController(host);
  };
  const isClear = (what: string): void => {
    // If the killed run had not changed anything, `disable` finds no overlay and says so.
    t.match(n2.agent('overlay', 'disable'), { stderr: /^$|this node is not in an overlay/ }, `${what}: disable`);
    t.equal(remainsOf(n2), clear, `${what}: the node is as before the join`);
  };

  const begun = killAtEveryEffect(n1, ['overlay', 'init'], (step) => {
    t.match(n1.agent('overlay', 'init'), { status: 0 }, `init, killed at ${step}: the next init completes it`);
    t.match(n1.agent('overlay', 'disable'), { status: 0 });
    t.equal(n1.must('ovn-nbctl', 'show') + n1.must('ovn-sbctl', 'get-connection'), '');
    startAgain(n1);
  });
  t.match(begun.last, { status: 0 });
  t.ok(begun.effects > 8, `init has ${begun.effects} effects`);

  let issued = '';
  const issue = ['overlay', 'pki', 'issue', 'n2', '--system-id', 'n2-of-the-test', '-o', bundle];
  const given = killAtEveryEffect(n1, issue, (step) => {
    const again = n1.agent(...issue);
    t.match(
      again,
      { stderr: /^$|n2 is in the cluster already; .*renew n2/ },
      `issue, killed at ${step}: the next issue`,
    );
    if (again.status !== 0) t.match(n1.agent('overlay', 'pki', 'renew', 'n2', '-o', bundle), { status: 0 });
    issued = readFileSync(n1.path(bundle), 'utf8');
    t.match(JSON.parse(issued), { node: { id: 2, subnets: ['10.42.1.0/24'] } }, 'n2 has the same subnet');
    t.match(n1.agent('overlay', 'apply'), { stdout: /^Nothing to do/ }, 'all rows are written');
    t.match(n1.agent('overlay', 'leave', '--node', 'n2'), { status: 0 });
  });
  t.match(given.last, { status: 0 });
  t.ok(given.effects > 4, `issue has ${given.effects} effects`);
  issued = readFileSync(n1.path(bundle), 'utf8');
  n2.write(bundle, issued);

  const join = ['overlay', 'join', bundle];
  const isMember = (): boolean => n2.run(['test', '-e', record]).status === 0;
  const thrown: Change = {
    words: join,
    prepare: () => startAgain(n2),
    killed: (step) => {
      if (!isMember())
        t.notMatch(stateOf(n2), /ovn-remote|ovn-encap/, `join, killed at ${step}: no row without a record`);
      isClear(`join, killed at ${step}`);
    },
    complete: (ended, effects) => {
      t.match(ended, { status: 0 });
      t.ok(effects > 4, `join has ${effects} effects`);
    },
  };
  const joined: Change = {
    words: join,
    prepare: () => {
      if (isMember()) isClear('joined');
      startAgain(n2);
    },
    killed: (step) => {
      t.match(n2.agent(...join), { status: 0 }, `join, killed at ${step}: the next join completes it`);
      t.match(n2.agent('overlay', 'verify'), { status: 0 });
    },
    complete: (ended) => t.match(ended, { status: 0 }),
  };
  const left: Change = {
    words: ['overlay', 'leave'],
    killed: (step) => isClear(`leave, killed at ${step}`),
    complete: (ended, effects) => {
      t.match(ended, { status: 0 });
      t.ok(effects > 4, `leave has ${effects} effects`);
      isClear('left');
    },
  };
  killInTurn(n2, [thrown, joined, left]);
});
