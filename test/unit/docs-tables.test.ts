// Tables and samples in the documents that repeat a table of the code, or output of the program.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { cniCode } from '../../agent/cni/error.ts';
import { networkManagerBugs, openVSwitchBugs } from '../../agent/doctor/known-bugs.ts';
import { errorTable } from '../../agent/errors.ts';
import { transactionStates } from '../../agent/model/journal.ts';
import type { RunRecord } from '../../agent/model/run-record.ts';
import { stepTitle } from '../../agent/model/step-title.ts';
import { planApply } from '../../agent/plan/make-plan.ts';
import { unsuitability } from '../../agent/plan/uplink/suitability.ts';
import { metricsText } from '../../agent/run/journal/metrics.ts';
import { planText } from '../../agent/view/plan-view.ts';
import { plain } from '../../agent/view/style.ts';
import { builtProgram, withKeptCode } from '../kept-code.ts';
import { commandsIn, helpOf } from './help-text.ts';
import { readCase } from './plan/cases.ts';

const started = withKeptCode(builtProgram);
const read = (path: string): string => readFileSync(path, 'utf8');
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');
/**
 * Returns the text below a heading. Throws if the page lacks the heading, because a comparison with an empty text would
 * pass.
 */
function section(page: string, heading: string): string {
  const found = read(page)
    .split(/^##+ /m)
    .find((text) => text.startsWith(`${heading}\n`));
  if (found === undefined) throw new Error(`${page} has no heading ${heading}`);
  return found;
}
const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Runs the built program without the test runner's variables, which would make it load other modules. */
function run(words: readonly string[], options: { readonly cwd?: string; readonly uid?: number } = {}) {
  const env = { PATH: process.env.PATH, NO_COLOR: '1' };
  return spawnSync('env', ['-u', 'NODE_OPTIONS', ...started, ...words], {
    encoding: 'utf8',
    env,
    ...options,
  });
}

t.test('docs/use/files.md lists every file below /run/microshift-net, and no other', (t) => {
  const named = (text: string): string[] =>
    [...text.matchAll(/\/run\/microshift-net\/([a-z-]+(?:\.[a-z]+)?)/g)].map(([, name = '']) => name);
  const used = ['agent', 'systemd', 'rpm'].flatMap(filesBelow).flatMap((file) => named(read(file)));
  const listed = named(read('docs/use/files.md')).concat('metrics.prom');
  const inTests = ['fault.json'];
  t.strictSame(
    [...new Set(listed)].toSorted(),
    [...new Set(used)].filter((name) => !inTests.includes(name)).toSorted(),
  );
  t.end();
});

t.test('docs/use/commands.md lists every command', async (t) => {
  const rows = read('docs/use/commands.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const listed = rows
    .map((row) => row.split('|')[1] ?? '')
    .join(' ')
    .replaceAll(/[`,]/g, '');
  const commandsOf = async (path: readonly string[]) => commandsIn(await helpOf(path, 80));
  for (const command of await commandsOf([])) {
    if (['hook', 'cni'].includes(command)) continue;
    t.match(` ${listed} `, ` ${command} `, command);
    for (const sub of await commandsOf([command])) t.match(` ${listed} `, ` ${sub} `, `${command} ${sub}`);
  }
});

t.test(
  'commands need root, also with `--output json`',
  { skip: process.getuid?.() !== 0 && 'only root can become another user' },
  (t) => {
    // command-line.test.ts has the other commands.
    const commands = 'recover;overlay routes;overlay peer list;overlay port list;overlay isolation show';
    for (const command of commands.split(';')) {
      const { status, stdout } = run(['--output', 'json', ...command.split(' ')], { uid: 65_534 });
      t.equal(status, 2, command);
      t.match(JSON.parse(stdout), { command, outcome: 'error', error: { kind: 'not-root' } }, command);
    }
    t.equal(run(['config', 'schema'], { uid: 65_534 }).status, 0);
    t.equal(run(['manifests', 'render', '--image', 'registry.example/ovn:1'], { uid: 65_534 }).status, 0);
    t.end();
  },
);

const record: RunRecord = {
  format: 1,
  command: 'apply',
  agentVersion: '0.1.0',
  at: '2026-11-20T21:47:21.311Z',
  tookMs: 2101.5,
  outcome: 'changed',
  error: null,
  differences: 4,
  bridges: [{ bridge: 'br-ex', uplink: 'eth0' }],
  transaction: {
    id: '20261120T214719Z-03d9',
    state: 'committed',
    at: '2026-11-20T21:47:21.311Z',
    tookMs: 1834,
    expectedOutageMs: 100,
  },
  runs: { unchanged: 0, changed: 1, failed: 0 },
  rollbacks: 0,
};

t.test('docs/use/metrics.md has every metric with its type, and status.json', (t) => {
  const types = [...metricsText(record).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(
    ([, name = '', type = '']) => `${name} ${type}`,
  );
  const rows = [...read('docs/use/metrics.md').matchAll(/^\| `(microshift_net_\w+)(?:\{[\w,]+\})?` \| (\w+) \|/gm)].map(
    ([, name = '', type = '']) => `${name} ${type}`,
  );
  t.strictSame(rows.toSorted(), types.toSorted());
  const sample = /^ {4}(\{"format"[\s\S]*?\})\n\n/m.exec(read('docs/use/metrics.md'))?.[1] ?? '';
  t.strictSame(JSON.parse(sample), record);
  t.end();
});

t.test('docs/internals/design.md has the states of a transaction', (t) => {
  const rows = [...section('docs/internals/design.md', 'The journal').matchAll(/^\| ([a-z-]+) \|/gm)].map(
    ([, state = '']) => state,
  );
  t.strictSame(
    rows.filter((state) => state !== 'state'),
    transactionStates,
  );
  t.end();
});

t.test('docs/use/manifests.md has the exit codes of its errors', (t) => {
  const rows = [...section('docs/use/manifests.md', 'Errors').matchAll(/^\| `([\w-]+)` \| (\d) \|/gm)];
  t.ok(rows.length > 10);
  for (const [, kind = '', code] of rows)
    t.equal(errorTable[kind as keyof typeof errorTable]?.exitCode, Number(code), kind);
  t.end();
});

t.test('docs/use/cni.md has the codes that a runtime gets', (t) => {
  const rows = [...section('docs/use/cni.md', 'Error codes').matchAll(/^\| ([\d, ]+) \|/gm)];
  const codes = rows.flatMap(([, cell = '']) => cell.split(', ').map(Number));
  t.strictSame(
    codes,
    Object.values<number>(cniCode).toSorted((a, b) => a - b),
  );
  t.end();
});

t.test('docs/use/doctor.md has the versions with known bugs', (t) => {
  const rows = [
    ...section('docs/use/doctor.md', 'Versions with known bugs').matchAll(
      /^\| ((?:NetworkManager|Open vSwitch) .*?) \|/gm,
    ),
  ].map(([, cell = '']) => cell);
  const next = (version: string): string => version.replace(/\d+$/, (minor) => String(Number(minor) - 2));
  const versions = (product: string, bugs: typeof networkManagerBugs): readonly string[] =>
    bugs.map(({ since, fixedIn, userspaceOnly = false }) => {
      const branches = fixedIn.filter((fix) => !fix.endsWith('.0')).join(', ');
      if (since === undefined)
        return `${product} before ${branches}${userspaceOnly ? ', with the userspace data path' : ''}`;
      const last = next(fixedIn[0] ?? '');
      return `${product} ${last === since ? since : `${since} to ${last}`}`;
    });
  t.strictSame(rows, [...versions('NetworkManager', networkManagerBugs), ...versions('Open vSwitch', openVSwitchBugs)]);
  t.end();
});

t.test('docs/use/topology.md names the settings that follow the address, and those that cannot be on the NIC', (t) => {
  const keys =
    /const connectionKeys: readonly string\[\] = \[\n([\s\S]*?)\];/.exec(
      read('agent/plan/profiles/transfer.ts'),
    )?.[1] ?? '';
  const row =
    /^\| properties of `connection` that follow the address: .*$/m.exec(read('docs/use/topology.md'))?.[0] ?? '';
  const named = [...row.matchAll(/`([\w-]+)`/g)].map(([, key = '']) => key);
  t.strictSame(
    named.filter((name) => name !== 'connection').toSorted(),
    [...keys.matchAll(/'([\w-]+)'/g)].map(([, key = '']) => key).toSorted(),
  );
  const kinds = read('agent/model/link-kinds.ts');
  const blocking = [...kinds.matchAll(/^ {2}(\w+): (?:receiver|\{ \.\.\.receiver|\{\n {4}\.\.\.receiver)/gm)].map(
    ([, kind = '']) => kind,
  );
  const refused = /^\| a macvlan.*$/m.exec(read('docs/use/topology.md'))?.[0] ?? '';
  t.ok(blocking.length > 4);
  for (const kind of blocking) t.match(refused.toLowerCase(), kind, kind);
  t.end();
});

t.test('docs/internals/packaging.md has the preset, and docs/use/troubleshooting.md an id of the catalog', (t) => {
  const preset = [...read('rpm/files/80-microshift-net.preset').matchAll(/^enable (\S+)$/gm)].map(
    ([, unit = '']) => unit,
  );
  const row =
    /^\| \S*80-microshift-net\.preset \| enables (.*) \|$/m.exec(read('docs/internals/packaging.md'))?.[1] ?? '';
  t.strictSame(row.replace(' and ', ', ').split(', '), preset);
  const id = /MESSAGE_ID=(\w{32})/.exec(read('docs/use/troubleshooting.md'))?.[1];
  t.match(read('agent/run/messages.ts'), new RegExp(`'rolled-back': \\{ id: '${id}'`));
  t.end();
});

t.test('docs/use/commands.md shows the plan of a node with one NIC and DHCP', (t) => {
  const { config, observation } = readCase('dhcp');
  const decision = planApply(config, observation, true);
  const printed = decision.kind === 'planned' ? planText(decision.plan, observation, plain, false) : '';
  const shown = /^ {4}\$ microshift-net plan\n((?: {4}.*\n|\n)+)/m.exec(read('docs/use/commands.md'))?.[1] ?? '';
  t.strictSame(shown.replaceAll(/^ {4}/gm, '').trimEnd().split('\n'), printed.split('\n'));
  const titles = decision.kind === 'planned' ? decision.plan.steps.map((step) => stepTitle(step)) : [];
  for (const title of titles)
    t.match(read('docs/use/commands.md'), `] ${title} … `, 'commands.md shows the progress of each step');
  t.end();
});

t.test('docs/use/doctor.md shows the output of `doctor`', (t) => {
  const shown = /^ {4}\$ microshift-net doctor\n((?: {4}.*\n|\n)+)/m.exec(read('docs/use/doctor.md'))?.[1] ?? '';
  // The width of a column depends on the other checks of the report.
  const linesOf = (text: string): readonly string[] =>
    text.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, '  '));
  const lines = linesOf(shown);
  const reported = linesOf(read('test/cases/doctor.txt'));
  const ofChecks = lines.filter((line) => line !== '' && line !== '...' && !/ failed, .* not applicable$/.test(line));
  t.ok(ofChecks.length > 8);
  for (const line of ofChecks) t.ok(reported.includes(line), line);
  t.end();
});

t.test('README.md quotes messages that the agent has', (t) => {
  const quoted = [...section('README.md', 'Troubleshooting').matchAll(/^\| `([^`]+)` \|/gm)].map(
    ([, text = '']) => text,
  );
  t.ok(quoted.length > 2);
  const sources = filesBelow('agent').map(read).join('\n');
  for (const message of quoted) t.ok(sources.includes(message), message);
  t.end();
});

t.test('docs/use/firewall.md has the services of the package with their ports', (t) => {
  const files = readdirSync('rpm/files').filter((name) => name.endsWith('.xml'));
  t.equal(files.length, 3);
  for (const file of files) {
    const text = read(`rpm/files/${file}`);
    const ports = [...text.matchAll(/port="([\d-]+)"/g)].map(([, port = '']) => port);
    const protocols = [...text.matchAll(/protocol="(\w+)"/g)].map(([, protocol = '']) => protocol);
    const only = new Set(protocols).size === 1 && protocols[0] === 'udp' ? '/udp' : '';
    const words = `\`${file.replace('.xml', '')}\` (${[...new Set(ports)].join(', ')}${only}`;
    t.ok(read('docs/use/firewall.md').includes(words), words);
  }
  t.end();
});

t.test('docs/use/plugins.md claims nothing without a test, and names commands that exist', async (t) => {
  const page = read('docs/use/plugins.md');
  const rows = [...page.matchAll(/^\| (?!-|what it does)(.*) \|$/gm)].map(([, cells = '']) =>
    cells.split('|').map((cell) => cell.trim()),
  );
  t.ok(rows.length > 50);
  const spans = (text: string): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
  for (const [what = '', here = '', how = '', shown = '', ...rest] of rows) {
    t.match(here, /^(?:yes|partly|no)$/, what);
    t.equal(rest.length, 0, what);
    if (here !== 'no') t.not(shown, '', `${what}: the test`);
    if (here === 'yes') t.match(how, /`(?:overlay|kubectl) /, `${what}: the command`);
    for (const test of spans(shown)) {
      const [, file = '', title = ''] = /^(\S+\.ts): (.+)$/.exec(test) ?? [];
      t.ok(read(`test/${file}`).includes(title), test);
    }
  }
  const commands = [...page.matchAll(/`overlay ([a-z-]+)(?: (--[^`]*))?`/g)].map(
    ([, name = '', options = '']) => [name, options] as const,
  );
  for (const [name, options] of commands) {
    const help = await helpOf(['overlay', name], 80);
    t.match(help, new RegExp(`^Usage: microshift-net overlay ${name}[ \\n]`), name);
    for (const option of options.split(' ').filter((word) => word.startsWith('--'))) t.match(help, option, option);
  }
});

t.test('docs/use/hints.md names devices that cannot become the uplink', (t) => {
  const { observation } = readCase('dhcp');
  const [link] = observation.links.filter(({ name }) => name === 'eth0');
  const rows = section('docs/use/hints.md', 'Devices that cannot become the uplink').match(
    /^- (?:lo,|bridges and devices).*$/gm,
  );
  const names = (rows ?? [])
    .join()
    .match(/\b(?:lo|br-(?:int|local)|ovs-system|ovn-k8s-|[a-z-]+\.?\d|\w+_sys_)(?![\w-])/g);
  t.ok(names !== null && names.length > 10);
  for (const start of names ?? []) {
    const name = /[-_]$/.test(start) ? `${start}1` : start;
    const reason = link === undefined ? null : unsuitability({ ...link, name }, observation);
    t.equal(reason, 'it belongs to a container engine, a hypervisor or ovn-kubernetes', name);
  }
  t.end();
});

t.test('docs/use/configuration.md shows the output of `config`', (t) => {
  const page = read('docs/use/configuration.md');
  const yaml = section('docs/use/configuration.md', 'Example').split('```yaml\n')[1]?.split('```')[0] ?? '';
  const folder = t.testdir({
    'ok.yaml': yaml,
    'a.yaml': '# the uplink\nuplnk: eth0\n',
    'b.yaml': 'disableOVSInit: yes\n',
    'd.yaml': 'uplink: eth1\novsInit:\n  gatewayInterface: eth0\n',
    'f.yaml': 'ovs:\n  # the data path\n\tdatapathType: system\n',
    'i.yaml': 'disableOVSInit: true\nuplink: eth0\n',
  });
  const shown = [...page.matchAll(/^ {4}\$ microshift-net (config .*)\n((?: {4}.*\n)+)/gm)];
  t.equal(shown.length, 6);
  for (const [, words = '', sample = ''] of shown) {
    const { stdout, stderr } = run(words.split(' '), { cwd: folder });
    const lines = (text: string): readonly string[] =>
      text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => line.trimEnd().replaceAll('\t', ' '));
    t.strictSame(lines(sample.replaceAll(/^ {4}/gm, '')), lines(stdout + stderr), words);
  }
  const many = run(['--output', 'json', 'config', 'check', 'a.yaml'], {
    cwd: t.testdir({ 'a.yaml': 'uplnk: eth0\nmtuu: 1\n' }),
  });
  const { facts } = JSON.parse(many.stdout).error as { facts: object };
  const listed = /has them under `facts`: ([^.]*)\./.exec(flat(page))?.[1] ?? '';
  t.strictSame(Object.keys(facts).toSorted(), listed.replaceAll('`', '').split(', ').toSorted());
  t.end();
});
