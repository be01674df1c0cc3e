// Numbers in the documents that repeat a constant of the code, a setting of a unit or a value of the schema: the test
// fails if only one of the two changes.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { defaultConfig } from '../../agent/config/defaults.ts';
import { bridges } from '../../agent/model/names.ts';
import { isNeeded } from '../../agent/overlay/node-ports.ts';

const read = (path: string): string => readFileSync(path, 'utf8');
/** Joins the lines of a text, because sentences of the pages have line breaks. */
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');

/**
 * Reads a constant from the text of a file: `const name = 3_000;`, also if it is a product or a property of an object.
 * The code does not export such constants only for tests.
 */
function constant(file: string, name: string): number {
  const found = new RegExp(`\\b${name}\\b(?:: [\\w\\[\\] ]+)?(?: = |: )([\\d_]+(?: \\* [\\d_]+)*)[;,\\n ]`).exec(
    read(file),
  )?.[1];
  if (found === undefined) throw new Error(`${file} has no constant ${name}`);
  return found.split(' * ').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1);
}

type Unit = 'ms' | 's' | 'MiB' | '';
const divisors: Readonly<Record<Unit, number>> = { ms: 1000, s: 1, MiB: 1024 * 1024, '': 1 };

/** Returns a constant, given as `UNIT FILE NAME`, as the documents write it: in seconds, in MiB, or unchanged. */
function textOf(source: string): string {
  const [unit = '', file = '', name = ''] = source.split(' ');
  const divisor = divisors[(unit === '-' ? '' : unit) as Unit];
  return (constant(`agent/${file}.ts`, name) / divisor).toLocaleString('en');
}

const run = 'ms run/reconcile runLimitMs';
const restore = 'ms run/rollback/restore-state restoreLimitMs';
const checkpoint = '- run/checkpoint-timer checkpointSeconds';
const heartbeat = 'ms run/transaction heartbeatMs';
const comeBack = 'ms run/rollback/reconnect comeBackMs';
const silence = 'ms drivers/openvswitch/ovs-client vswitchdAnswerMs';
const route = 'ms run/plan-when-ready routeMs';
const unexpected = 'ms run/plan-when-ready unexpectedRouteMs';
const uplink = 'ms run/plan-when-ready uplinkMs';
const kept = '- run/journal/journal-files keptJournals';
const lease = 'ms model/limits leaseLimitMs';
const round = 'ms run/overlay/daemon/rounds roundMs';
const design = 'docs/internals/design.md';
const watcher = 'docs/internals/overlay-watcher.md';

/** Sentences with `{}` in place of a number, and the constants for these places, in order. */
const sentences: readonly (readonly [page: string, sentence: string, ...sources: readonly string[]])[] = [
  ['README.md', 'checkpoint expires after {} seconds', checkpoint],
  ['docs/use/files.md', 'the last {} |', kept],
  [design, 'a route or a NIC that does not exist yet, wait for it, up to {} s each', route],
  [design, 'a route or a NIC that does not exist yet, wait for it, up to {} s each', uplink],
  [design, 'or {} s for a default route that no profile can bring', unexpected],
  [design, 'of all devices, {} s; extend it every {} s', checkpoint, heartbeat],
  [design, 'after {} s without an answer', silence],
  [design, '{} s for the whole run', run],
  [design, 'The limit is {} s for an activation', 'ms model/limits activationLimitMs'],
  [design, '{} s for duplicate address detection', 'ms model/limits detectionLimitMs'],
  [design, '{} s for a D-Bus call', 'ms drivers/dbus/bus-connection callTimeoutMs'],
  [design, '{} s for an OVSDB call', 'ms drivers/openvswitch/ovs-client callTimeoutMs'],
  [design, 'by themselves after {} s', '- drivers/host/kernel/address-hold holdSeconds'],
  [design, 'Its proof waits up to {} s for the link', 'ms plan/plan-for startedUplinkMs'],
  [design, 'wait up to {} s until NetworkManager and Open vSwitch', comeBack],
  [design, 'wait up to {} s if it was killed', 'ms run/rollback/vswitchd-answers restartLimitMs'],
  [design, 'in place, within {} s, and', 'ms run/rollback/restore-state plannedLimitMs'],
  [design, 'the limit for everything is {} s', restore],
  [design, 'NetworkManager rolls back at most {} s after', checkpoint],
  [design, 'the step fails after {} s (lease) or {} s (advertisement)', lease, 'ms model/limits activationLimitMs'],
  [design, 'the rollback waits {} s for it', 'ms run/rollback/restore-state settleLimitMs'],
  ['docs/use/hints.md', 'after {} seconds ({} seconds if no default route is expected)', route, unexpected],
  ['docs/use/hints.md', 'waits only {} seconds if nothing on the node can bring one', unexpected],
  ['docs/use/hints.md', 'ready {} or {} seconds later', unexpected, route],
  ['docs/use/hints.md', 'waits up to {} seconds for a default route', route],
  ['docs/use/hints.md', 'waits up to {} seconds until NetworkManager has configured', uplink],
  ['docs/use/hints.md', 'after {} seconds, the unit fails', uplink],
  ['docs/use/hints.md', 'A file of more than {} MiB is an error', 'MiB drivers/host/files/files smallFileLimitBytes'],
  ['docs/use/migration.md', 'the device of another route after {} s, or after {} s if', route, unexpected],
  ['docs/use/configuration.md', 'Files above {} MiB', 'MiB config/read-files maxConfigBytes'],
  ['docs/use/configuration.md', '{} problems are shown', '- config/problem maxReported'],
  ['docs/use/configuration.md', 'It has 1 to {} bytes', '- net/interface-name maxBytes'],
  ['docs/use/bridge.md', 'of at most {} characters', '- model/added-names nameBytes'],
  ['docs/use/doctor.md', 'with a limit of {} seconds', 'ms run/examination/examine answerMs'],
  ['docs/use/doctor.md', 'within {} days', '- doctor/overlay-certificates warnDays'],
  ['docs/use/doctor.md', 'fails or hangs ({} s)', 'ms support/collect commandMs'],
  ['docs/use/doctor.md', 'keeps the last {} MiB', 'MiB support/staging itemLimitBytes'],
  ['docs/use/doctor.md', 'have at most {} MiB', 'MiB support/staging totalLimitBytes'],
  ['docs/use/doctor.md', 'the last {} transactions', kept],
  ['docs/use/troubleshooting.md', 'after {} seconds the run fails with `no-uplink`', uplink],
  ['docs/use/troubleshooting.md', 'keeps the last {} transactions', kept],
  [
    'docs/use/troubleshooting.md',
    'within {} seconds ({} seconds if nothing on the node can bring a default route) no',
    route,
    unexpected,
  ],
  ['docs/use/troubleshooting.md', 'for at most {} seconds', 'ms run/lock briefRunLimitMs'],
  ['docs/use/troubleshooting.md', 'took longer than {} seconds', run],
  ['docs/use/troubleshooting.md', 'expires after {} seconds', checkpoint],
  ['docs/use/troubleshooting.md', 'does not answer for {} seconds during a run', silence],
  ['docs/use/cni.md', "waits for the pod's address, at most {} s", 'ms run/overlay/cni/attach addressedMs'],
  ['docs/use/cni.md', '(`ovn-installed`), at most {} s', 'ms run/overlay/cni/attach installedMs'],
  ['docs/use/overlay-commands.md', 'waits at most {} s', 'ms run/overlay/node/nodes answerMs'],
  ['docs/use/overlay-commands.md', 'Gateways are polled every {} s', round],
  [
    'docs/use/overlay-services.md',
    'before it writes them and every {} s',
    'ms run/overlay/daemon/listener-watch lookMs',
  ],
  [
    'docs/use/overlay-services.md',
    'have changed, and otherwise every {} s',
    'ms run/overlay/daemon/listener-watch readMs',
  ],
  ['docs/use/overlay-services.md', 'without an answer within {} s', 'ms drivers/host/kernel/host-addresses answerMs'],
  ['docs/use/network-policy.md', 'at the {} smallest numbers', '- workload/budget mostNumbersOfPort'],
  ['docs/use/network-policy.md', 'truncated to {} characters', '- workload/policies/policy-groups mostLetters'],
  [
    'docs/use/network-policy.md',
    'alone has more than {} characters',
    '- workload/policies/read-policy longestSelector',
  ],
  ['docs/use/overlay-pods.md', 'after number {} of the subnet', '- workload/pods/subnets mostPlaces'],
  ['docs/use/overlay-pods.md', 'At most {} Events are made at once', '- drivers/kubernetes/events longestBurst'],
  ['docs/use/overlay-pods.md', 'and then one every {} s', 'ms drivers/kubernetes/events perEventMs'],
  [
    'docs/use/overlay-services.md',
    'at most {}, in `ovn-cms-options`',
    '- overlay/members/announced-addresses mostEntries',
  ],
  ['docs/use/overlay-services.md', 'gathers the changes for at most {} s', 'ms run/overlay/loop/pace longestRestMs'],
  ['docs/use/overlay-commands.md', 'takes more than {} s, because', 'ms run/overlay/ovn/gateway-proof elsewhereMs'],
  [watcher, 'batches of {} and', '- run/overlay/watcher/work-queue mostObjectKeys'],
  [watcher, 'slices of {} ms', '- slices sliceMs'],
  [watcher, 'gathers further changes for at most {} ms', '- run/overlay/watcher/gathering longestRestMs'],
  [watcher, 'it stops earlier if no change arrives for {} ms', '- run/overlay/watcher/gathering quietMs'],
  [watcher, 'of its own that is longer than {} characters', '- workload/pods/read-pod longestAnnotation'],
  [watcher, 'They contain at most {} endpoints in total', '- workload/budget mostEndpointsOfRows'],
  [watcher, 'and then one every {} seconds; for the whole cluster', 'ms drivers/kubernetes/event-budget perEventMs'],
  [watcher, 'for the whole cluster it creates at most {}, and', '- drivers/kubernetes/events longestBurst'],
];

t.test('limits', (t) => {
  for (const [page, sentence, ...sources] of sentences) {
    const values = [...sources];
    const expected = sentence.replaceAll('{}', () => textOf(values.shift() ?? ''));
    t.ok(flat(read(page)).includes(expected), `${page}: ${expected}`);
  }
  t.end();
});

/** Lines of systemd units that pages repeat. */
const units: readonly (readonly [page: string, sentence: string, unit: string, line: string])[] = [
  [
    design,
    "unit's TimeoutStartSec of 240 s",
    'microshift-ovs-init.service.d/50-microshift-net.conf',
    'TimeoutStartSec=240s',
  ],
  ['docs/use/manifests.md', 'It waits up to 15 minutes', 'microshift-net-manifests.service', '--timeout 900'],
  [watcher, "V8's heap has at most 384 MB", 'microshift-net-overlay.service', 'NODE_OPTIONS=--max-old-space-size=384'],
  [watcher, 'the daemon at 512 MB', 'microshift-net-overlay.service', 'MemoryHigh=512M'],
  [watcher, 'kills it at 640 MB', 'microshift-net-overlay.service', 'MemoryMax=640M'],
  [watcher, 'after 5 s', 'microshift-net-overlay.service', 'RestartSec=5s'],
  [watcher, 'ten times within five minutes', 'microshift-net-overlay.service', 'StartLimitBurst=10'],
  [watcher, 'ten times within five minutes', 'microshift-net-overlay.service', 'StartLimitIntervalSec=300s'],
];

/** Sentences with a number in words, and the constant with its unit. */
const words: readonly (readonly [page: string, sentence: string, number: number, source: string])[] = [
  [
    'docs/use/overlay-commands.md',
    'valid for ten years',
    10 * 365,
    '- run/overlay/certificates/authority authorityDays',
  ],
  [
    'docs/use/overlay-commands.md',
    '(three years, or `--days`)',
    3 * 365,
    '- run/overlay/certificates/authority certificateDays',
  ],
  [
    'docs/use/overlay-services.md',
    'the default of three hours',
    3 * 3600,
    '- workload/services/read-service defaultAffinitySeconds',
  ],
  [
    'docs/use/overlay-services.md',
    'to the LAN three times, one second apart',
    3,
    '- run/overlay/daemon/announcements times',
  ],
  ['docs/use/overlay-services.md', 'three times, one second apart', 1, 'ms run/overlay/daemon/announcements betweenMs'],
  ['docs/use/doctor.md', 'at least a minute behind or ahead', 60, 'ms doctor/overlay-checks warnClockMs'],
];

t.test('limits in words', (t) => {
  for (const [page, sentence, number, source] of words) {
    t.ok(flat(read(page)).includes(sentence), `${page}: ${sentence}`);
    t.equal(textOf(source), number.toLocaleString('en'), source);
  }
  t.end();
});

t.test('limits of units', (t) => {
  for (const [page, sentence, unit, line] of units) {
    t.ok(flat(read(page)).includes(sentence), `${page}: ${sentence}`);
    t.ok(read(`systemd/${unit}`).includes(line), `${unit}: ${line}`);
  }
  t.end();
});

t.test('metrics of default routes', (t) => {
  const [first, second] = bridges.map(({ routeMetric }) => routeMetric);
  const standby = constant('agent/model/limits.ts', 'standbyMetric');
  t.ok(flat(read('docs/use/hints.md')).includes(`br-ex has route metric ${first} and br-ex1 has ${second},`));
  const topology = flat(read('docs/use/topology.md'));
  t.ok(topology.includes(`is replaced by ${first} (${second} for br-ex1)`));
  t.ok(topology.includes(`default via 192.0.2.1 metric ${standby} (not preferred)`));
  t.end();
});

t.test('ports that no service may have', (t) => {
  const needed = (protocol: 'tcp' | 'udp'): string => {
    const all = Array.from({ length: 65_536 }, (_, port) => port).filter((port) => isNeeded(protocol, port));
    return all
      .join(', ')
      .replace('6641, 6642, 6643, 6644', '6641 to 6644')
      .replace(/, (\d+)$/, ' and $1');
  };
  const sentence = `TCP ${needed('tcp')}, UDP ${needed('udp')}.`;
  t.ok(flat(read('docs/use/overlay-services.md')).includes(sentence), sentence);
  t.end();
});

t.test("defaults of MicroShift's keys", (t) => {
  const page = flat(read('docs/use/configuration.md'));
  const { clusterNetwork, serviceNetwork, serviceNodePortRange, cniPlugin } = defaultConfig.cluster;
  for (const row of [
    `| \`network.clusterNetwork\` | \`cluster.clusterCIDR\` | ${clusterNetwork.value.join()} |`,
    `| \`network.serviceNetwork\` | \`cluster.serviceCIDR\` | ${serviceNetwork.value.join()} |`,
    `| \`network.serviceNodePortRange\` | \`cluster.serviceNodePortRange\` | ${serviceNodePortRange.value} |`,
    `| \`network.cniPlugin\` (\`ovnk\`, \`none\`) | | \`${cniPlugin.value}\` |`,
  ])
    t.ok(page.includes(row), row);
  t.end();
});

/** Value of a key in the schema of ovn.yaml. */
interface SchemaKey {
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, SchemaKey>>;
}

t.test('docs/use/configuration.md has every key of ovn.yaml with its default', (t) => {
  const rows = [...read('docs/use/configuration.md').matchAll(/^\| `([\w.]+)` \| .*? \| (\S+) \| /gm)].map(
    ([, key = '', value = '']) => [key, value] as const,
  );
  const schema = JSON.parse(read('config/ovn.schema.json')) as SchemaKey;
  const keys = (node: SchemaKey, prefix: string): readonly (readonly [string, unknown])[] =>
    Object.entries(node.properties ?? {}).flatMap(([name, entry]) =>
      entry.properties === undefined
        ? [[`${prefix}${name}`, entry.default] as const]
        : keys(entry, `${prefix}${name}.`),
    );
  for (const [key, value] of keys(schema, '')) {
    const shown = rows.find(([name]) => name === key)?.[1];
    const words = value === '' || value === undefined ? 'empty' : String(value);
    t.equal(shown?.replaceAll(/[`"]/g, ''), words, key);
  }
  t.end();
});
