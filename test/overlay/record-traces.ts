// Records test/cases/trace again: the databases, and the output of ovn-trace and ofproto/trace for the packets of each
// question.json. It is started by hand, as root:
//   npx tsc && node build/test/overlay/record-traces.js && UPDATE_CASES=1 node build/test/unit/trace/trace-cases.test.js
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openCentralDatabase, openSwitchDatabase, type RowDatabase } from '../../agent/drivers/ovn/database.ts';
import type { TracePacket, TraceWay } from '../../agent/model/overlay-trace.ts';
import type { DatabaseRow, DatabaseRows } from '../../agent/model/rows.ts';
import { readColumns } from '../../agent/run/overlay/ovn/database-rows.ts';
import { departureOf } from '../../agent/trace/ends.ts';
import type { LegFacts } from '../../agent/trace/leg.ts';
import { localQuestions, switchColumns } from '../../agent/trace/local-part.ts';
import { type LogicalPort, networkOf, southboundColumns } from '../../agent/trace/logical-network.ts';
import { microflow } from '../../agent/trace/packet.ts';
import { northboundColumns, ruleBook } from '../../agent/trace/rules.ts';
import { answerTo, beginWay, continueWay, nextStart, translationsOf, wayOf } from '../../agent/trace/way.ts';
import { json, type TraceCase, traceCases } from '../unit/trace/recorded.ts';
import { cutOpenFlowTrace, cutOvnTrace } from './cut-traces.ts';
import type { Host } from './hosts.ts';
import { denySsh, learn, twoNodes } from './traced-cluster.ts';

/** Number of results of connection tracking that one packet may need. */
const mostLookups = 40;

/** Release of OVN with the rows of the cluster. */
interface Release {
  readonly name: string;
  readonly runDirectory: string;
  run(...words: readonly string[]): string;
}

t.test('record', async (t) => {
  const [n1, n2] = await twoNodes(t);
  addRows(n1, n2);
  learn(n1);
  const older = { name: '23.03', runDirectory: n1.path('/run/ovn'), run: n1.must };
  const switches = { n1, n2 };
  for (const release of [older, await newerRelease(t, n1)]) await record(release, switches);
});

/** Creates two pods with both address families, a policy, and services of every kind. */
function addRows(n1: Host, n2: Host): void {
  const service = (name: string, ...vips: readonly (readonly [string, string])[]): void => {
    for (const vip of vips) n1.must('ovn-nbctl', 'lb-add', name, ...vip, 'tcp');
    const owner = ['external_ids:k8s.ovn.org/kind=Service', `external_ids:k8s.ovn.org/owner=default/${name}`];
    n1.must('ovn-nbctl', 'set', 'Load_Balancer', name, ...owner, 'options:reject=true');
  };
  for (const [host, pod, id] of [
    [n1, 'a', 0],
    [n2, 'b', 1],
  ] as const) {
    const [port, mac] = [`default_${pod}`, `0a:58:0a:2a:0${id}:03`];
    const networks = `networks="10.42.${id}.1/24","fd01:0:0:${id}::1/64"`;
    n1.must('ovn-nbctl', 'set', 'Logical_Router_Port', `rtos-${host.name}`, networks);
    n1.must('ovn-nbctl', 'lsp-add', host.name, port);
    n1.must('ovn-nbctl', 'lsp-set-addresses', port, `${mac} 10.42.${id}.3 fd01:0:0:${id}::3`);
    const device = ['type=internal', `mac="${mac}"`, `external_ids:iface-id=${port}`];
    host.must('ovs-vsctl', 'add-port', 'br-int', `pod-${pod}`, '--', 'set', 'Interface', `pod-${pod}`, ...device);
  }
  const backends = '10.42.1.3:8080,10.42.0.3:8080,10.42.1.2:8080';
  service('web', ['10.43.0.10:80', backends], ['10.43.0.10:81', '']);
  service('web6', ['[fd02::10]:81', '[fd01:0:0:1::3]:8080,[fd01:0:0:1::4]:8080']);
  service('port', ['192.0.2.21:30080', '10.42.1.3:8080,10.42.0.3:8080']);
  for (const name of ['web', 'web6']) n1.must('ovn-nbctl', 'ls-lb-add', 'n1', name);
  n1.must('ovn-nbctl', 'lr-lb-add', 'GR_n1', 'port');
  n1.must('ovn-nbctl', 'pg-add', 'deny', 'default_b');
  denySsh(n1, 'deny-all', '@deny', 'Port_Group', 'deny');
}

/** Starts the OVN of the test node on copies of n1's databases. */
async function newerRelease(t: Test, n1: Host): Promise<Release> {
  const base = execFileSync(join('test/node', 'build-base.sh'), { encoding: 'utf8' }).trim();
  const folder = mkdtempSync(join(tmpdir(), 'newer-ovn-'));
  for (const file of ['ovnnb_db.db', 'ovnsb_db.db']) copyFileSync(n1.path(`/var/lib/ovn/${file}`), join(folder, file));
  const inBase = ['bash', 'test/overlay/in-base.sh', base, folder, 'test/overlay/newer-ovn.sh'];
  const words = ['-m', '-p', '-f', '--kill-child', ...inBase];
  const child: ChildProcess = spawn('unshare', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    rmSync(folder, { recursive: true, force: true });
  });
  if (child.stdout === null) throw new Error('in-base.sh has no output');
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  const pid = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  const root = join(folder, 'base/root');
  return {
    name: '26.03',
    runDirectory: `/proc/${pid}/root${root}/run/ovn`,
    run: (...words) => {
      const inside = ['-t', pid, '-m', '-p', 'chroot', root, ...words];
      const { status, stdout, stderr } = spawnSync('nsenter', inside, { encoding: 'utf8' });
      if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
      return stdout;
    },
  };
}

/** Writes the output for each packet, and the rows with only those flows that the kept output names. */
async function record(release: Release, hosts: Readonly<Record<string, Host>>): Promise<void> {
  const read = async (database: RowDatabase | null, columns: typeof switchColumns): Promise<DatabaseRows> => {
    if (database === null) throw new Error('a database is missing');
    return readColumns(database, columns).finally(() => database.close());
  };
  const central = [release.runDirectory];
  const southbound = await read(await openCentralDatabase('OVN_Southbound', central), southboundColumns);
  const northbound = await read(await openCentralDatabase('OVN_Northbound', central), northboundColumns);
  const switches: Record<string, DatabaseRows> = {};
  for (const [name, host] of Object.entries(hosts))
    switches[name] = await read(await openSwitchDatabase(host.path('/run/openvswitch')), switchColumns);
  const met = new Set<string>();
  for (const name of readdirSync(traceCases).filter((one) => !/\./.test(one))) {
    const one = json<TraceCase>(name, 'question.json');
    if (one.release === release.name) recordCase(name, one, release, { southbound, northbound, switches, hosts, met });
  }
  const isNeeded = ({ _uuid, match }: DatabaseRow): boolean =>
    met.has(_uuid.slice(0, 8)) || String(match).includes('flags.force_snat_for_lb == 1');
  const flows = (southbound.tables.Logical_Flow ?? []).filter(isNeeded);
  const tables = {
    southbound: { ...southbound.tables, Logical_Flow: flows },
    northbound: northbound.tables,
    switches: Object.fromEntries(Object.entries(switches).map(([name, rows]) => [name, rows.tables])),
  };
  writeFileSync(join(traceCases, `network-${release.name}.json`), `${rowsOnLines(tables)}\n`);
}

interface Known {
  readonly southbound: DatabaseRows;
  readonly northbound: DatabaseRows;
  readonly switches: Readonly<Record<string, DatabaseRows>>;
  readonly hosts: Readonly<Record<string, Host>>;
  /** Beginnings of the UUIDs of the flows that the kept part of the traces names. */
  readonly met: Set<string>;
}

function recordCase(
  name: string,
  { node, isMember, withBack, ovnTraceOf, question }: TraceCase,
  release: Release,
  known: Known,
): void {
  const { southbound, northbound, switches, hosts, met } = known;
  const network = networkOf(southbound);
  const facts = { network, rules: ruleBook(southbound, isMember ? null : northbound), undo: [] };
  const folder = join(traceCases, name);
  for (const file of readdirSync(folder).filter((one) => /^(there|back)-/.test(one))) rmSync(join(folder, file));
  const write = (file: string, asked: string, text: string): void => {
    for (const [, id = ''] of text.matchAll(/\b(?:uuid |cookie 0x)([0-9a-f]+)/g)) met.add(id.padStart(8, '0'));
    writeFileSync(join(folder, `${file}.txt`), `? ${asked}\n${text}\n`);
  };
  const follow = (
    direction: string,
    legs: LegFacts,
    inPort: LogicalPort,
    packet: TracePacket,
    state: string,
  ): TraceWay => {
    let way = beginWay(legs, inPort, network.carrier(inPort), packet);
    let run = 0;
    for (let start = nextStart(way); start !== null; start = nextStart(way)) {
      run += 1;
      const { datapath, name: port } = start.inPort;
      const flow = microflow(port, start.packet);
      const states = Array.from({ length: mostLookups }, () => `--ct=${state}`);
      const text = release.run('ovn-trace', ...states, '--select-id=1', datapath.uuid, flow);
      const asked = `${datapath.name} ${flow}`;
      if (ovnTraceOf === undefined) write(`${direction}-${run}`, asked, cutOvnTrace(text));
      way = continueWay(way, start, text);
    }
    const whole = wayOf(way);
    const host = node === null ? undefined : hosts[node];
    const rows = switches[node ?? ''];
    if (host === undefined || rows === undefined) return whole;
    const tracked = Array.from({ length: mostLookups }, () => ['--ct-next', `trk,${state}`]).flat();
    localQuestions(whole, host.name, network, rows).forEach(({ flow }, index) => {
      const text = host.must('ovs-appctl', 'ofproto/trace', ...tracked, 'br-int', flow);
      write(`${direction}-here-${index + 1}`, flow, cutOpenFlowTrace(text));
    });
    return whole;
  };
  const { inPort, packet } = departureOf(question, network, southbound);
  const there = follow('there', facts, inPort, packet, 'new');
  const end = 'port' in there.end ? network.port(there.end.port) : null;
  if (withBack && end !== null)
    follow('back', { ...facts, undo: translationsOf(there) }, end, answerTo(there), 'est,rpl');
}

/** Returns JSON with one row per line, so that a difference is readable. */
function rowsOnLines(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null || '_uuid' in value) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const parts = Object.entries(value).map(([key, one]) => {
    const text = rowsOnLines(one, `${indent}  `);
    return `${indent}  ${Array.isArray(value) ? text : `${JSON.stringify(key)}: ${text}`}`;
  });
  return parts.length === 0 ? `${open}${close}` : `${open}\n${parts.join(',\n')}\n${indent}${close}`;
}
