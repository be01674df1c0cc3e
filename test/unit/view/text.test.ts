import { readFileSync } from 'node:fs';
import { styleText } from 'node:util';
import t from 'tap';
import { inWords } from '../../../agent/compare/in-words.ts';
import { AgentError } from '../../../agent/errors.ts';
import { followedBy } from '../../../agent/failures.ts';
import type { JournalRecord } from '../../../agent/model/journal.ts';
import type { Link, NmDevice } from '../../../agent/model/observation.ts';
import type { Plan } from '../../../agent/model/plan.ts';
import { stepTitle } from '../../../agent/model/step-title.ts';
import type { ThreadFacts } from '../../../agent/model/tuning.ts';
import { planApply, planDisable } from '../../../agent/plan/make-plan.ts';
import { errorDetail, errorText } from '../../../agent/view/error-view.ts';
import { historyText, transactionText } from '../../../agent/view/history-view.ts';
import { errorDocument } from '../../../agent/view/json/error-json.ts';
import { statusDocument } from '../../../agent/view/json/status-json.ts';
import { planText, progressLine } from '../../../agent/view/plan-view.ts';
import { statusText } from '../../../agent/view/status-view.ts';
import { joinLines, plain, printable, type Style, styleFor } from '../../../agent/view/style.ts';
import { drawTopology, observedTopology, plannedTopology } from '../../../agent/view/topology.ts';
import { appliedCase, caseNames, type PlanCase, readCase } from '../plan/cases.ts';

function planOf({ config, observation, command }: PlanCase): Plan {
  if (command === 'disable') return planDisable(observation);
  const decision = planApply(config, observation, true);
  if (decision.kind !== 'planned') throw new TypeError('it waits');
  return decision.plan;
}

t.test('errors in three lengths', (t) => {
  const cause = new Error('ENOENT', { cause: new Error('deeper') });
  const error = new AgentError('proof-failed', 'the gateway does not answer', {
    hint: 'check the switch',
    cause,
    facts: { neighbour: '192.0.2.1', list: ['a', 'b'], none: null },
  });
  t.equal(errorText(error, plain), 'microshift-net: the gateway does not answer; check the switch');
  t.equal(
    errorDetail(error, plain),
    [
      'microshift-net: the gateway does not answer; check the switch',
      '  kind: proof-failed',
      '  neighbour: 192.0.2.1',
      '  list: a',
      '    b',
      '  none: null',
      '  caused by: ENOENT',
      '  caused by: deeper',
    ].join('\n'),
  );
  t.strictSame(errorDocument(error, 'apply'), {
    command: 'apply',
    outcome: 'error',
    error: {
      kind: 'proof-failed',
      message: 'the gateway does not answer',
      hint: 'check the switch',
      exitCode: 1,
      retryable: true,
      facts: { neighbour: '192.0.2.1', list: ['a', 'b'], none: null },
      causes: ['ENOENT', 'deeper'],
      failures: [{ kind: 'proof-failed', message: 'the gateway does not answer', hint: 'check the switch' }],
    },
  });
  const bare = new AgentError('busy', 'taken');
  t.equal(errorText(bare, plain), 'microshift-net: taken');
  t.match(errorDocument(bare, null), { error: { hint: null, causes: [] } });
  t.end();
});

t.test('a failure, and then the failure of its rollback', (t) => {
  const first = new AgentError('proof-failed', 'the gateway does not answer', { hint: 'check the switch' });
  const left = new AgentError('not-restored', 'eth0 has no address', {
    hint: 'look at it',
    cause: new Error('deeper'),
  });
  const error = followedBy(first, left);
  const lines = [
    'microshift-net: the gateway does not answer; check the switch',
    '  then: eth0 has no address; look at it',
  ];
  t.equal(errorText(error, plain), lines.join('\n'));
  const kinds = ['  kind: proof-failed', '  kind: not-restored'];
  t.equal(errorDetail(error, plain), [lines[0], kinds[0], lines[1], kinds[1], '  caused by: deeper'].join('\n'));
  t.match(errorDocument(error, 'apply'), {
    error: {
      kind: 'not-restored',
      exitCode: 4,
      failures: [
        { kind: 'proof-failed', message: first.message, hint: first.hint },
        { kind: 'not-restored', message: left.message, hint: left.hint },
      ],
    },
  });
  t.end();
});

t.test('an empty list has no line', (t) => {
  const error = new AgentError('no-uplink', 'x', { facts: { trace: [], interfaces: ['eth0'] } });
  t.equal(errorDetail(error, plain), ['microshift-net: x', '  kind: no-uplink', '  interfaces: eth0'].join('\n'));
  t.end();
});

t.test('a circle of causes ends', (t) => {
  const error = new AgentError('internal', 'x', { cause: new Error('round') });
  (error.cause as Error).cause = error.cause;
  t.equal(errorDetail(error, plain).split('\n').length, 2 + 8);
  t.end();
});

/** Style of a terminal with colours. */
const coloured: Style = (format, text) => styleText(format, text, { validateStream: false });

t.test('text of other programs cannot control a terminal', (t) => {
  const table: readonly (readonly [text: string, shown: string])[] = [
    ['eth0\x1b[2J\x07\x9b1m\x7f\r', 'eth0\\u{1b}[2J\\u{7}\\u{9b}1m\\u{7f}\\r'],
    ['\x1b]0;title\x07', '\\u{1b}]0;title\\u{7}'],
    ['\x1b[8mhidden', '\\u{1b}[8mhidden'],
    ['\x1b[31;1H', '\\u{1b}[31;1H'],
    ['two\nlines\tand ÄÖ 漢', 'two\nlines\tand ÄÖ 漢'],
    ['gpj.\u202eexe', 'gpj.\\u{202e}exe'],
    ['a\u2066b\u2069c\u200fd\u061ce', 'a\\u{2066}b\\u{2069}c\\u{200f}d\\u{61c}e'],
    ['no\u200bwidth\ufeff', 'no\\u{200b}width\\u{feff}'],
    ['line\u2028end', 'line\\u{2028}end'],
    ['\ud800', '\\u{d800}'],
  ];
  for (const style of [plain, coloured])
    for (const [text, shown] of table) t.equal(printable(text, style), shown, shown.replace('\n', ' '));
  t.end();
});

t.test('colours of the agent are kept, and only on a terminal', (t) => {
  for (const format of ['bold', 'dim', 'red', 'yellow', 'green', 'cyan'] as const) {
    const painted = coloured(format, 'x\x1b[2J');
    t.equal(printable(painted, coloured), painted.replace('x\x1b', 'x\\u{1b}'), format);
    t.equal(printable(painted, plain), painted.replaceAll('\x1b', '\\u{1b}'), `${format}, without a terminal`);
  }
  t.end();
});

t.test('a line feed in a value does not begin a line of output', (t) => {
  const forged = 'eth0\nThe node is in the desired state.';
  const error = new AgentError('step-failed', forged, {
    hint: forged,
    facts: { a: forged, b: [forged] },
    cause: new Error(forged),
  });
  t.notMatch(errorText(error, plain), /^The node/m);
  t.notMatch(errorDetail(error, plain), /^The node/m);
  t.equal(joinLines([forged, 'end']), 'eth0\\nThe node is in the desired state.\nend');
  const { config, observation } = readCase('dhcp');
  const change = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll('192.0.2.1"', '192.0.2.1\\nForged."'));
  const forgedCase = { config, observation: change(observation), command: 'apply' } as PlanCase;
  const plan = planOf(forgedCase);
  t.match(JSON.stringify(plan), /Forged/);
  for (const verbose of [true, false]) t.notMatch(planText(plan, forgedCase.observation, plain, verbose), /^Forged/m);
  t.end();
});

t.test('colours are used only on a terminal that has them, unless NO_COLOR is set', (t) => {
  const terminal = { isTTY: true } as NodeJS.WriteStream;
  const before = { ...process.env };
  t.teardown(() => {
    process.env = before;
  });
  process.env = { ...before, TERM: 'xterm', NO_COLOR: '', FORCE_COLOR: '1' };
  t.equal(styleFor({ isTTY: false } as NodeJS.WriteStream)('red', 'x'), 'x', 'a pipe gets no colours');
  t.equal(
    styleFor(terminal)('red', 'x'),
    '\u001b[31mx\u001b[39m',
    'a terminal gets colours, regardless of standard output',
  );
  process.env = { ...before, TERM: 'xterm', NO_COLOR: '1', FORCE_COLOR: '1' };
  t.equal(styleFor(terminal)('red', 'x'), 'x', 'NO_COLOR turns colours off');
  process.env = { ...before, TERM: 'dumb' };
  t.equal(styleFor(terminal)('red', 'x'), 'x', 'a terminal without colours gets none');
  t.end();
});

t.test('the topology before and after a run', (t) => {
  const node = readCase('two-nics-metric');
  t.equal(
    drawTopology(observedTopology(node.observation), plain),
    [
      '  ● eth0 ────────────── 52:54:00:aa:00:00  mtu 1500  → LAN',
      '      192.0.2.50/24',
      '      default via 192.0.2.1 metric 200',
      '',
      '  ● eth1 ────────────── 52:54:00:aa:00:01  mtu 1500  → LAN',
      '      203.0.113.50/24',
      '      default via 203.0.113.1 metric 100',
      '',
    ].join('\n'),
  );
  const after = [
    '  ╭─ br-ex ───────────── 52:54:00:aa:00:01  mtu 1500',
    '  │    203.0.113.50/24',
    '  │    default via 203.0.113.1',
    '  ├── eth1           uplink   → LAN',
    '  ╰── br-ex          internal → this host',
    '',
    '  ● eth0 ────────────── 52:54:00:aa:00:00  mtu 1500  → LAN',
    '      192.0.2.50/24',
    '      default via 192.0.2.1 metric 200',
    '',
  ];
  t.equal(drawTopology(plannedTopology(planOf(node), node.observation), plain), after.join('\n'));
  const seen = drawTopology(observedTopology(appliedCase('two-nics-metric').observation), plain);
  t.equal(
    seen.replace(' metric 100', ''),
    after.join('\n'),
    'the drawing of the plan equals that of the node after the run',
  );
  const guests = drawTopology(observedTopology(readCase('drift-guest-cables').observation), plain);
  t.match(
    guests,
    /├── eth0 +uplink {3}→ LAN\n {2}├── vnet0 +port\n/,
    'the cable of a guest is not drawn as a connection to the LAN',
  );
  const moved = appliedCase('static4').observation;
  t.match(
    drawTopology(plannedTopology(planDisable(moved), moved), plain),
    /● eth0 [^●]* {6}192\.0\.2\.50\/24\n {6}default via 192\.0\.2\.1\n/,
    'the NIC gets its default route back',
  );
  const { observation } = readCase('static4');
  const [plain4] = observation.links.filter(({ name }) => name === 'eth0');
  const [device] = observation.networkManager.devices.filter((one) => one.interface === 'eth0');
  const tunnel = { ...(plain4 as Link), name: 'vxlan-0', kind: 'vxlan', master: 'vxlan-drop' };
  const beside = {
    ...observation,
    links: [...observation.links, tunnel],
    networkManager: {
      ...observation.networkManager,
      devices: [
        ...observation.networkManager.devices,
        { ...(device as NmDevice), interface: 'vxlan-0', type: 19, state: 30 },
      ],
    },
  };
  t.equal(
    drawTopology(observedTopology(beside), plain),
    drawTopology(observedTopology(observation), plain),
    'the VXLAN device of a peer is not drawn as a NIC',
  );
  t.equal(drawTopology([], plain), '  (no network device)');
  t.end();
});

t.test('every case can be shown', (t) => {
  for (const name of caseNames()) {
    const one = readCase(name);
    let plan: Plan;
    try {
      plan = planOf(one);
    } catch {
      continue;
    }
    for (const verbose of [false, true]) {
      const text = planText(plan, one.observation, plain, verbose);
      t.notMatch(text, /undefined|\[object|NaN/, name);
    }
    for (const step of plan.steps) t.match(stepTitle(step), /^[a-z].{5,}[^.]$/, `${name}: ${step.do}`);
  }
  t.end();
});

t.test('a plan in words', (t) => {
  const node = readCase('choice-hint-missing');
  const text = planText(planOf(node), node.observation, plain, false);
  for (const part of [
    /^Changes \(1\)\n\+ bridge br-ex: with the uplink eth1 \(default route IPv4 metric 100\)\n\nUplink {3}eth1, from default route IPv4 metric 100\n {9}interface=eth7 source=\/var\/lib\/ovnk\/iface_default_hint verdict=skipped reason=no-interface-has-this-name\n/,
    /\nBefore\n {2}● eth0/,
    /\nAfter\n {2}╭─ br-ex/,
    /\nSteps \(\d+\)\n {3}1 {2}write the profiles br-ex, ovs-port-br-ex, ovs-if-br-ex\n {6}br-ex and its port need profiles/,
    /attach eth1 to br-ex/,
    /remove the IP settings from eth1/,
    /\nOutage {3}at most \d+ ms expected: /,
    /\nwarning: \/var\/lib\/ovnk\/iface_default_hint names eth7, which is not used: no interface has this name/,
  ])
    t.match(text, part);
  t.notMatch(text, /Differences/);
  t.match(planText(planOf(node), node.observation, plain, true), /\nDifferences\n {2}profile br-ex: absent → present/);
  const again = appliedCase('dhcp');
  t.match(
    planText(planOf(again), again.observation, plain, false),
    /\nNow\n[\s\S]*Nothing to do: the node is in the desired state\.$/,
  );
  t.end();
});

t.test('progress', (t) => {
  const event = { index: 2, total: 11, step: 'prove', state: 'done', tookMs: 12.6 } as const;
  t.equal(progressLine(event, plain), '[ 3/11] prove that the node is reachable … 13 ms');
  t.equal(progressLine({ ...event, state: 'failed', step: 'commit' }, plain), '[ 3/11] commit … failed');
  t.equal(progressLine({ ...event, state: 'started' }, plain), null);
  t.end();
});

t.test('history and status', (t) => {
  const node = readCase('static4');
  const plan = planOf(node);
  const record: JournalRecord = {
    header: {
      format: 1,
      id: '20260102T030405Z-0001',
      command: 'apply',
      agentVersion: '0.1.0',
      startedAt: '2026-01-02T03:04:05Z',
      bootId: 'b',
      plan,
      previous: { bridges: [] },
    },
    state: 'committed',
    stateAt: '2026-01-02T03:04:06Z',
    detail: null,
    later: null,
    confirmUntil: null,
    checkpoint: null,
    stepTimesMs: plan.steps.map((_, index) => (index === 0 ? 5 : null)),
  };
  t.equal(historyText([], plain, null, 0), 'No transaction has been run yet.');
  t.match(
    historyText([record, { ...record, detail: 'why' }], plain, null, 0),
    /^20260102T030405Z-0001 {2}committed +apply +br-ex with eth0\n.* why$/,
  );
  const failed = { ...record, detail: 'the proof failed', later: 'eth0 has no address' };
  const named: Style = (colour, text) => `<${colour}>${text}</${colour}>`;
  t.match(historyText([record], named, 200, 0), '<green>committed</green>', 'states have colours on a terminal');
  t.match(historyText([{ ...failed, state: 'not-restored' }], named, 200, 0), '<red>not-restored</red>');
  t.match(historyText([failed], plain, null, 0), / the proof failed; then eth0 has no address$/);
  t.match(
    transactionText({ ...failed, state: 'not-restored' }, plain, 0),
    /not-restored: the proof failed\n {2}then {5}eth0 has no address\n/,
  );
  t.match(
    transactionText({ ...record, state: 'rolled-back' }, plain, 0),
    /before {3}no bridge of microshift-net\n {2}planned {2}br-ex with eth0\n/,
  );
  const text = transactionText(record, plain, 0);
  t.match(
    text,
    /before {3}no bridge of microshift-net\n {2}after {4}br-ex with eth0\n {3}1 {2}write the profiles br-ex, ovs-port-br-ex, ovs-if-br-ex … 5 ms\n {6}br-ex and its port need profiles.*\n {3}2 .* … not done\n/,
  );

  const { observation } = appliedCase('static4');
  const view = {
    observation,
    vswitchd: null,
    last: record,
    pending: null,
    overlay: null,
    nowMs: Date.parse(record.stateAt) + 18_000,
    differences: [],
    problem: null,
    unknown: [],
  };
  t.match(
    statusText(view, plain),
    /╭─ br-ex[\s\S]*NetworkManager {2}1\.[\s\S]*Last run {8}20260102T030405Z-0001 apply: committed \d+ \w+ ago[\s\S]*The node is in the desired state\.$/,
  );
  const part = { node: 'n1', role: 'member', hasController: true, isRunning: true, failure: null } as const;
  const overlay = { ...part, membership: { state: 'member' } } as const;
  t.match(
    statusText({ ...view, overlay }, plain),
    /\nOverlay {9}n1, a member; its daemon runs\n\nbr-ex and Open vSwitch are in the desired state; .*overlay verify/,
  );
  const stopped = { ...overlay, isRunning: false };
  t.match(statusText({ ...view, overlay: stopped }, plain), /its daemon is not running: systemctl/);
  t.match(statusDocument({ ...view, overlay: stopped }), {
    outcome: 'problem',
    overlay: { problem: /is not running/ },
  });
  t.match(
    statusText({ ...view, overlay: { ...overlay, hasController: false } }, plain),
    /a member; ovn-controller is not running: systemctl start ovn-controller\n\n.*the overlay has the fault above/,
  );
  const expelled = statusText({ ...view, overlay: { ...part, membership: { state: 'removed' } } }, plain);
  t.match(
    expelled,
    /Overlay {9}n1, a member; the central node has no port for n1: it was taken out of the cluster there/,
  );
  t.match(
    expelled,
    /\nbr-ex and Open vSwitch are in the desired state; the overlay has the fault above, .*overlay verify.*\n.*doctor$/,
  );
  t.notMatch(expelled, /The node is in the desired state/);
  const away = { state: 'unknown', why: 'ssl:192.0.2.11:6642 did not answer within 3 s' } as const;
  for (const [membership, failure, outcome, isInCluster, problem] of [
    [{ state: 'removed' }, 'the database is full', 'problem', false, /^the central node has no port for n1: it was/],
    [{ state: 'member' }, 'the database is full', 'problem', true, 'the database is full'],
    [{ state: 'member' }, null, 'as-wanted', true, null],
    [{ state: 'not-applicable' }, null, 'as-wanted', null, null],
    [
      away,
      null,
      'problem',
      null,
      /^it could not be checked whether .* n1 as a member: ssl:.* did not answer within 3 s$/,
    ],
  ] as const) {
    const document = statusDocument({ ...view, overlay: { ...part, membership, failure } });
    t.match(document, { outcome, overlay: { role: 'member', isInCluster, problem } });
  }
  const silent = statusText({ ...view, overlay: { ...part, membership: away } }, plain);
  t.match(silent, /Overlay {9}n1, a member; it could not be checked whether the central node still has n1 as a member/);
  t.notMatch(silent, /its daemon runs|The node is in the desired state/);
  const pending = { id: 'tx', command: 'apply', confirmUntil: '1970-01-01T00:00:18.000Z', state: 'waiting' } as const;
  const waiting = statusText({ ...view, pending, nowMs: 0 }, plain);
  t.match(waiting, /tx \(apply\) waits for confirmation until \S+ \(in 18 s\); then it is rolled back/);
  t.notMatch(waiting, /in the desired state/);
  const dead = statusText({ ...view, vswitchd: 'dead', last: null }, plain);
  t.match(dead, /; dead\nLast run {8}none/);
  t.match(dead, /\nNo difference from ovn\.yaml was found, but ovs-vswitchd does not answer\.\n/);
  t.notMatch(dead, /in the desired state/);
  t.match(statusText({ ...view, differences: plan.differences.map(inWords) }, plain), /\d+ differences from ovn\.yaml/);
  t.match(
    statusText({ ...view, problem: 'no way; do this' }, plain),
    /\nno way; do this\nFind the cause and the fix with: microshift-net doctor$/,
  );
  const unknown = [{ source: 'config.yaml:3', message: 'the setting there is not known' }];
  t.match(
    statusText({ ...view, unknown }, plain),
    /in the desired state, as far as its settings are known\.\nwarning: config\.yaml:3: the setting there is not known\nFind the cause and the fix with: microshift-net doctor$/,
  );

  const thread = (name: string): ThreadFacts => ({ tid: 1, name, cpus: '0' });
  const daemon = { threads: [thread('handler1'), thread('revalidator2')], lockedKib: 0, dropIns: [] };
  const daemons = [
    { ...daemon, name: 'ovs-vswitchd', pid: 536 },
    { ...daemon, name: 'ovsdb-server', pid: 481 },
  ] as const;
  const tuned = { ...appliedCase('dhcp').observation, tuning: { onlineCpus: '0', baseCpus: '0', daemons } };
  const last = { ...record, header: { ...record.header, id: '20261120T214719Z-03d9' } };
  const page = readFileSync('docs/use/commands.md', 'utf8');
  const shown = /^ {4}\$ microshift-net status\n((?: {4}.*\n|\n)+)/m.exec(page)?.[1] ?? '';
  t.strictSame(
    statusText({ ...view, observation: tuned, last }, plain).split('\n'),
    shown.replaceAll(/^ {4}/gm, '').trimEnd().split('\n'),
    'docs/use/commands.md shows this text',
  );
  t.end();
});
