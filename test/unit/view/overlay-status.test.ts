import t from 'tap';
import type { OverlayDaemon, OverlayStatus } from '../../../agent/model/overlay-daemon.ts';
import { overlayStatusText } from '../../../agent/view/overlay-status-view.ts';
import { plain } from '../../../agent/view/style.ts';

const daemon = {
  format: 1,
  pid: 7,
  startTime: 1,
  since: '2026-01-01T00:00:00.000Z',
  failure: null,
  watcher: null,
  asked: [],
} as const;
const member: OverlayStatus = {
  node: 'n2',
  role: 'member',
  subnets: ['10.42.1.0/24'],
  addresses: ['192.0.2.12'],
  southbound: ['ssl:192.0.2.11:6642'],
  controller: 'connected',
  daemon,
  isRunning: true,
  tunnels: [{ interface: 'ovn-n1-0', type: 'geneve', chassis: 'n1-id', remoteAddress: '192.0.2.11', fault: null }],
};
const text = (special: Partial<OverlayStatus>): string => overlayStatusText({ ...member, ...special }, plain);

t.test('a member', (t) => {
  t.equal(
    text({}),
    [
      'n2 is in a cluster, has 10.42.1.0/24, and is reached at 192.0.2.12.',
      'Daemon: runs since 2026-01-01T00:00:00.000Z, process 7; its last look found nothing to repair',
      'Central node: ssl:192.0.2.11:6642',
      'Tunnels:',
      '  ovn-n1-0 geneve to 192.0.2.11, chassis n1-id',
    ].join('\n'),
  );
  t.end();
});

t.test('what does not work', (t) => {
  const [tunnel] = member.tunnels;
  if (tunnel === undefined) throw new Error('a member has a tunnel');
  t.match(
    text({ tunnels: [{ ...tunnel, fault: 'br-ex, by which it leaves, has no carrier' }] }),
    /chassis n1-id; down: br-ex, by which it leaves, has no carrier$/,
  );
  t.match(text({ tunnels: [{ ...tunnel, answers: false }] }), /chassis n1-id; its other end does not answer$/);
  t.match(text({ tunnels: [{ ...tunnel, answers: true }] }), /chassis n1-id; its other end answers$/);
  t.match(text({ tunnels: [{ ...tunnel, answers: null }] }), /chassis n1-id$/, 'not known');
  const lost = text({ controller: 'not connected', tunnels: [], subnets: [] });
  t.match(
    lost,
    /has no subnet.*\n.*\n.*6642 is not reached; running traffic goes on; if it has another address now, join/,
  );
  t.match(lost, /Tunnels: none$/);
  t.match(text({ controller: 'absent' }), /ovn-controller does not run/);
  t.match(text({ isRunning: false }), /Daemon: does not run: systemctl status/);
  t.match(text({ daemon: null, isRunning: false }), /Daemon: does not run/);
  const failure = { message: 'the kernel refused it', hint: 'look', since: '2026-01-02' };
  t.match(text({ daemon: { ...daemon, failure } }), /since 2026-01-02: the kernel refused it \(look\)/);
  t.notMatch(text({ role: 'central', controller: 'not connected' }), /join again/, 'it is itself the one');
  t.match(
    text({ role: 'central' }),
    /the central node of its cluster.*\n.*\nCentral node: this one, for the others at ssl/,
  );
  t.end();
});

t.test('the rows for objects of Kubernetes, on the central node', (t) => {
  const watcher = {
    role: 'active',
    objects: { Pod: 2, Service: 1 },
    nodesOutside: [],
    wroteAt: null,
    refused: [],
    failure: null,
  } as const;
  const line = (special: Partial<OverlayDaemon['watcher'] & object>): string =>
    /Objects of Kubernetes: (.*)/.exec(
      text({ role: 'central', daemon: { ...daemon, watcher: { ...watcher, ...special } } }),
    )?.[1] ?? '';
  t.equal(line({}), '2 Pod, 1 Service; their rows were in the desired state');
  t.equal(line({ wroteAt: '2026-01-01' }), '2 Pod, 1 Service; rows were written at 2026-01-01');
  t.equal(line({ role: 'standby' }), '2 Pod, 1 Service; another one writes their rows');
  const failure = { message: 'the API server is away', hint: 'start it', since: '2026-01-02' };
  t.equal(
    line({ role: 'waiting', objects: {}, failure }),
    'not followed yet; nothing is written yet; since 2026-01-02: the API server is away (start it)',
  );
  t.match(line({ refused: ['pod:default/a'] }), /in the desired state; OVN does not take pod:default\/a$/);
  t.match(
    line({ nodesOutside: ['n3', 'n4'] }),
    /in the desired state; not in the overlay: n3, n4; their pods get no network until they have joined$/,
  );
  t.match(text({ role: 'central' }), /Objects of Kubernetes: not followed/);
  t.notMatch(text({}), /Kubernetes/, 'a member writes none');
  t.end();
});
