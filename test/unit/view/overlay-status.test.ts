import { stripVTControlCharacters } from 'node:util';
import t from 'tap';
import { encapsulationIsAlways, type PodPath } from '../../../agent/model/direct-node.ts';
import type { OverlayDaemon, OverlayStatus } from '../../../agent/model/overlay-daemon.ts';
import { overlayStatusDocument } from '../../../agent/view/json/overlay-state-json.ts';
import { overlayStatusText } from '../../../agent/view/overlay-status-view.ts';
import { plain, styleFor } from '../../../agent/view/style.ts';

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
  membership: { state: 'member' },
  controller: 'connected',
  daemon,
  isRunning: true,
  tunnels: [{ interface: 'ovn-n1-0', type: 'geneve', chassis: 'n1-id', remoteAddress: '192.0.2.11', fault: null }],
  paths: [],
  peers: [],
};
process.env.TZ = 'UTC';
const nowMs = Date.parse('2026-01-01T03:00:00.000Z');
const text = (special: Partial<OverlayStatus>): string =>
  overlayStatusText({ ...member, ...special }, plain, null, nowMs);

t.test('the status of a member', (t) => {
  t.equal(
    text({}),
    [
      'n2 has joined a cluster; its pods have 10.42.1.0/24, and its tunnels end at 192.0.2.12.',
      'Daemon: runs since 2026-01-01 00:00:00 (3 hours ago), process 7; its last check found nothing that it could repair',
      'Central node: ssl:192.0.2.11:6642',
      'Membership: the central node has a port for n2',
      'Tunnels:',
      '  ovn-n1-0 geneve to 192.0.2.11, chassis n1-id',
    ].join('\n'),
  );
  t.end();
});

t.test('paths to pods of other nodes', (t) => {
  const path = (node: string, family: PodPath['family'], way: PodPath['way'], reason: string | null): PodPath => ({
    ...{ node, family, way, reason },
  });
  const paths = [
    path('n1', 'ipv4', 'direct', null),
    path('n1', 'ipv6', 'direct', null),
    path('n3', 'ipv4', 'direct', null),
    path('n3', 'ipv6', 'tunnel', 'the gateway of n3 has no IPv6 address'),
    path('n4', 'ipv4', 'none', 'n4 is not a gateway'),
  ];
  t.equal(
    text({ paths }).split('\n').slice(-5).join('\n'),
    [
      'Pods of other nodes:',
      '  n1 by a direct route (IPv4 and IPv6)',
      '  n3 by a direct route (IPv4)',
      '  n3 through a tunnel (IPv6): the gateway of n3 has no IPv6 address',
      '  n4 not reached (IPv4): n4 is not a gateway',
    ].join('\n'),
  );
  t.equal(text({ paths: null }), text({}), 'another line says that the central node does not answer');
  t.equal(
    text({ paths: [path('n1', 'ipv4', 'tunnel', encapsulationIsAlways)] }),
    text({}),
    'not without direct routes',
  );
  t.match(overlayStatusDocument({ ...member, paths }), { paths });
  t.end();
});

t.test('the status of an overlay with parts that do not work', (t) => {
  const [tunnel] = member.tunnels;
  if (tunnel === undefined) throw new Error('a member has a tunnel');
  t.match(
    text({ tunnels: [{ ...tunnel, fault: 'br-ex, by which it leaves, has no carrier' }] }),
    /chassis n1-id; down: br-ex, by which it leaves, has no carrier$/,
  );
  t.match(text({ tunnels: [{ ...tunnel, answers: false }] }), /chassis n1-id; its other end does not answer$/);
  t.match(text({ tunnels: [{ ...tunnel, answers: true }] }), /chassis n1-id; its other end answers$/);
  t.match(
    text({ tunnels: [{ ...tunnel, answers: null }] }),
    /chassis n1-id; it is not known whether its other end answers$/,
  );
  const lost = text({ controller: 'not connected', tunnels: [], subnets: [] });
  t.match(
    lost,
    /have no subnet.*\n.*\n.*6642 is not reached; running traffic goes on; if it has another address now, join/,
  );
  t.match(lost, /Tunnels: none$/);
  t.match(text({ controller: 'absent' }), /ovn-controller is not running/);
  t.match(text({ isRunning: false }), /Daemon: not running: systemctl status/);
  t.match(text({ daemon: null, isRunning: false }), /Daemon: not running/);
  const failure = { message: 'the kernel refused it', hint: 'look', since: '2026-01-01T02:59:42.500Z' };
  t.match(
    text({ daemon: { ...daemon, failure } }),
    /since 2026-01-01 02:59:42 \(17 s ago\): the kernel refused it \(look\)/,
  );
  t.notMatch(
    text({ role: 'central', controller: 'not connected' }),
    /join again/,
    'a central node gets no advice to join again',
  );
  t.match(
    text({ role: 'central' }),
    /the central node of its cluster.*\n.*\nCentral node: this one, for the others at ssl/,
  );
  t.end();
});

t.test('a member that was taken out, or whose membership could not be checked', (t) => {
  const removed = { membership: { state: 'removed' } } as const;
  t.match(
    text(removed),
    /\nMembership: the central node has no port for n2: it was taken out of the cluster there.*pki issue n2/,
  );
  const why = 'ssl:192.0.2.11:6642 did not answer within 3 s';
  const unknown = { membership: { state: 'unknown', why } } as const;
  const fault = `it could not be checked whether the central node still has n2 as a member: ${why}`;
  t.match(text(unknown), `\nMembership: ${fault}\n`);
  const none = { subnets: [], membership: { state: 'not-applicable' } } as const;
  t.match(text(none), /\nMembership: not checked, because .* without pod subnets\n/);
  t.notMatch(text({ role: 'central', membership: { state: 'not-applicable' } }), /Membership/);

  const documentOf = (special: Partial<OverlayStatus>) => overlayStatusDocument({ ...member, ...special });
  t.match(documentOf({}), { isInCluster: true, membershipProblem: null });
  t.match(documentOf(removed), { isInCluster: false, membershipProblem: /taken out of the cluster there/ });
  t.match(documentOf(unknown), { isInCluster: null, membershipProblem: fault });
  t.match(documentOf(none), { isInCluster: null, membershipProblem: null });
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
  t.equal(
    line({ wroteAt: '2026-01-01T02:58:00.000Z' }),
    '2 Pod, 1 Service; rows were written at 2026-01-01 02:58:00 (2 minutes ago)',
  );
  t.equal(line({ role: 'standby' }), '2 Pod, 1 Service; another one writes their rows');
  const failure = { message: 'the API server is away', hint: 'start it', since: '2026-01-01T00:00:00.000Z' };
  t.equal(
    line({ role: 'waiting', objects: {}, failure }),
    'not followed yet; nothing is written yet; since 2026-01-01 00:00:00 (3 hours ago): the API server is away (start it)',
  );
  t.match(line({ refused: ['pod:default/a'] }), /in the desired state; OVN does not take pod:default\/a$/);
  t.match(
    line({ nodesOutside: ['n3', 'n4'] }),
    /in the desired state; not in the overlay: n3, n4; their pods get no network until they have joined$/,
  );
  t.match(text({ role: 'central' }), /Objects of Kubernetes: not followed/);
  t.notMatch(text({}), /Kubernetes/, 'a member shows no rows for objects of Kubernetes');
  t.end();
});

t.test('lines fit the width, and continue with an indent', (t) => {
  const failure = { message: 'the kernel refused it', hint: 'look at ip address', since: '2026-01-01T02:59:42.500Z' };
  const [tunnel] = member.tunnels;
  if (tunnel === undefined) throw new Error('a member has a tunnel');
  const status: OverlayStatus = {
    ...member,
    controller: 'not connected',
    membership: { state: 'unknown', why: 'ovn-controller does not reach ssl:192.0.2.11:6642' },
    daemon: { ...daemon, failure },
    tunnels: [{ ...tunnel, answers: false }],
  };
  t.equal(
    overlayStatusText(status, plain, 60, nowMs),
    [
      'n2 has joined a cluster; its pods have 10.42.1.0/24, and its',
      '  tunnels end at 192.0.2.12.',
      'Daemon: runs since 2026-01-01 00:00:00 (3 hours ago),',
      '  process 7; since 2026-01-01 02:59:42 (17 s ago): the',
      '  kernel refused it (look at ip address)',
      'Central node: ssl:192.0.2.11:6642 is not reached; running',
      '  traffic goes on; if it has another address now, join again',
      '  with a bundle of `overlay pki renew`',
      'Membership: it could not be checked whether the central node',
      '  still has n2 as a member: ovn-controller does not reach',
      '  ssl:192.0.2.11:6642',
      'Tunnels:',
      '  ovn-n1-0 geneve to 192.0.2.11, chassis n1-id; its other',
      '    end does not answer',
    ].join('\n'),
  );
  const terminal = styleFor({ isTTY: true } as NodeJS.WriteStream);
  for (const width of [60, 80, 150]) {
    const lines = overlayStatusText(status, plain, width, nowMs).split('\n');
    t.strictSame(
      lines.filter((line) => line.length > width),
      [],
      `${width} columns`,
    );
    const painted = overlayStatusText(status, terminal, width, nowMs);
    t.match(painted, '\u001b[31m', 'a fault is red');
    t.strictSame(stripVTControlCharacters(painted).split('\n'), lines, 'colours do not change the text');
  }
  t.end();
});
