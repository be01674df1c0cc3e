// About sixty command lines that a new user types, on a machine where no service runs. UPDATE_CASES=1 writes
// test/cases/transcript.txt, which reads from top to bottom.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import type { JournalHeader } from '../../agent/model/journal.ts';
import { planApply } from '../../agent/plan/make-plan.ts';
import { openJournal } from '../../agent/run/journal/journal-files.ts';
import { builtProgram, withKeptCode } from '../kept-code.ts';
import { equalsGolden } from './golden-file.ts';
import { readCase } from './plan/cases.ts';

const golden = 'test/cases/transcript.txt';

/**
 * Command lines at 80 columns. The golden also has the command lines of the second list at 60 columns. The output of
 * the others at 60 columns must differ from that at 80 columns only in its line breaks. help.test.ts compares the
 * helps.
 */
const helps = `
apply --help
bridge --help
bridge add --help
disable --help
overlay --help
overlay gateway --help
overlay routes --help
overlay pki issue --help
manifests apply --help
config --help
`;
const lines = `
aply
overlay statsu
apply --bot
apply --dry-run --boot
apply --confirm-timeout 0
apply --confirm-timeout
apply --confirm-timeout soon
verify --dry-run
undo --dry-run
firewall apply --dry-run
overlay apply --dry-run
manifests apply --dry-run
bridge add
bridge remove
overlay join
overlay trace
overlay trace default/web 192.0.2.10 --tcp 70000
overlay pki issue
overlay pki issue node2
plan too many
plan -o yaml
plan --output yaml
manifests render --flavor classy
completion tcsh
config check good.yaml
config check bad.yaml
config check absent.yaml
config check .
config show good.yaml
plan
apply
verify
status
status --watch
confirm
undo
undo 20200101T000000Z-0001
history 19900102T030405Z-0002
recover
bridge list
ovs tune
firewall check
disable
support-bundle -o absent/file.tar.gz
overlay init
overlay status
overlay nodes
overlay routes
overlay routes --format junos
overlay peer list
overlay peer add west
overlay peer remove west
overlay isolation enable
overlay isolation disable
overlay isolation show
overlay port list
overlay port add vm1
overlay port add vm1 --interface tap7
overlay port remove vm1
overlay join absent
overlay leave
overlay disable
overlay pki renew --request absent
manifests render
manifests status
`;
const narrow = `
--help
history
history 19900102T030405Z-0002
plan
apply --confirm-timeout 0
config check bad.yaml
manifests render
`;

/** Shell text that runs the command lines of its standard input in separate namespaces. */
const shell = `set -e
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /var/lib
mkdir -p /var/lib/microshift-net/tx
cp -p "$JOURNALS"/* /var/lib/microshift-net/tx
set +e
while read -r width line; do
  printf '\\n%s columns $ microshift-net %s\\n' "$width" "$line"
  COLUMNS=$width timeout 60 $PROGRAM $line < /dev/null 2>&1
  code=$?
  [ $code = 0 ] || echo "[exit code $code]"
done`;

function journals(folder: string): void {
  const { config, observation } = readCase('dhcp');
  const decision = planApply(config, observation, true);
  if (decision.kind !== 'planned') throw new TypeError('it waits');
  for (const [id, state, detail] of [
    ['19900102T030405Z-0001', 'committed', null],
    [
      '19900102T030405Z-0002',
      'rolled-back',
      'br-ex did not get 192.0.2.50/24 within 2 s, so the change was rolled back',
    ],
  ] as const) {
    const header: JournalHeader = {
      format: 1,
      id,
      command: 'apply',
      agentVersion: '0.2.0',
      startedAt: '1990-01-02T03:04:05.000Z',
      bootId: 'b',
      plan: decision.plan,
      previous: { bridges: [] },
    };
    const journal = openJournal(folder, header);
    decision.plan.steps.forEach((_, index) => {
      if (state === 'committed' || index < 3) journal.append({ event: 'step', index, tookMs: 40 + index });
    });
    journal.setState(state, '1990-01-02T03:04:07.000Z', detail);
    journal.close();
  }
}

const countOf = (text: string): number => text.trim().split('\n').length;

const probe = spawnSync('unshare', ['-mn', '--propagation', 'private', 'true']).status;

t.test(
  'command lines of a new user',
  { skip: (process.getuid?.() !== 0 || probe !== 0) && 'only root can hide what the machine runs' },
  (t) => {
    const folder = t.testdir({
      'good.yaml': 'uplink: eth0\nmtu: 1500\n',
      'bad.yaml': 'uplnk: eth0\nmtu: many\n',
      tx: {},
    });
    mkdirSync(path.join(folder, 'tx'), { recursive: true });
    journals(path.join(folder, 'tx'));
    const typed = (text: string, width: number): string[] =>
      text
        .trim()
        .split('\n')
        .map((line) => `${width} ${line}`);
    const input = [
      ...typed(narrow, 60),
      ...typed(narrow, 80),
      ...typed(helps, 80),
      ...typed(lines, 80),
      ...typed(lines, 60),
    ].join('\n');
    const { stdout, stderr } = spawnSync('unshare', ['-mn', '--propagation', 'private', 'sh', '-c', shell], {
      encoding: 'utf8',
      cwd: folder,
      input: `${input}\n`,
      maxBuffer: 16 * 1024 * 1024,
      env: {
        PATH: process.env.PATH,
        NO_COLOR: '1',
        TZ: 'UTC',
        PROGRAM: withKeptCode(builtProgram).join(' '),
        JOURNALS: path.join(folder, 'tx'),
      },
    });
    t.equal(stderr, '');
    const text = stdout.replaceAll(/\b\d+ (days|hours|minutes) ago/g, 'N $1 ago');
    const blocks = text.split(/^(?=\n\d+ columns \$ )/m);
    const atWidth = (width: number): readonly string[] =>
      blocks.slice(-2 * countOf(lines)).filter((block) => block.startsWith(`\n${width} columns `));
    const [wide, slim] = [atWidth(80), atWidth(60)];
    const kept = blocks.slice(0, -countOf(lines)).join('');
    equalsGolden(t, golden, kept);
    t.strictSame([wide.length, slim.length], [countOf(lines), countOf(lines)]);
    for (const [index, block] of slim.entries()) {
      const [, command = '', output = ''] = /^\n60 columns \$ microshift-net (.*)\n([\s\S]*)/.exec(block) ?? [];
      const tooWide = output.split('\n').filter((line) => line.length > 60 && /\S \S/.test(line.trim()));
      t.strictSame(tooWide, [], `${command}: 60 columns`);
      const words = (part: string): string => part.replace(/^.*\n.*\n/, '').replaceAll(/[\s\\]+/g, ' ');
      t.equal(words(block), words(wide[index] ?? ''), `${command}: the same words at 60 and at 80 columns`);
    }
    t.end();
  },
);
