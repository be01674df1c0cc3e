import { spawnSync } from 'node:child_process';
import t from 'tap';
import { checks, judge } from '../../../agent/doctor/checks.ts';
import type { CheckResult } from '../../../agent/model/examination.ts';
import { doctorText } from '../../../agent/view/doctor-view.ts';
import { plain } from '../../../agent/view/style.ts';
import { type TableCase, writeTable } from '../case-table.ts';
import { changed } from '../plan/change.ts';
import { changeOf, doctorCases, doctorTable, examinationOf } from './examined.ts';

/**
 * The lines below the name of a case name the case that it changes (`from NAME`; `healthy` by default), and list the
 * changes in the form `path = value`, which changed() reads. The report follows: the whole report about `healthy`, and
 * only the differences for other cases. UPDATE_CASES=1 writes the reports; a person reviews the diff before the commit.
 */
const names = doctorCases.map(({ name }) => name);
const judged = new Map(names.map((name) => [name, judge(examinationOf(name))] as const));
const resultsOf = (name: string): readonly CheckResult[] => judged.get(name) ?? [];

/** The reports of the cases have no limit of width; doctor-view.test.ts tests the width. */
const screen = { verbose: true, width: null, nowMs: Date.parse('2026-11-20T21:48:00Z') };
process.env.TZ = 'UTC';

/** Words with which the command of a fix can begin. */
const programs =
  /^(cat|chown|dnf|du|echo|firewall-cmd|grep|grubby|ip|journalctl|kdumpctl|kill|kubectl|microshift-net|modprobe|mount|networkctl|nft|nmcli|ovs-vsctl|rm|sysctl|systemctl|tail|timedatectl)( |$)/;

/** Returns the report's lines without those that count the results, unless the case has the whole report. */
function reportOf(name: string): string {
  const results = resultsOf(name);
  const base = changeOf(name)?.of;
  if (base === undefined) return `${doctorText(results, plain, screen)}\n`;
  const before = new Set(resultsOf(base).map((result) => JSON.stringify(result)));
  const news = results.filter((result) => !before.has(JSON.stringify(result)));
  return news.length === 0 ? '' : doctorText(news, plain, screen).replace(/\n\n[^\n]*$/, '\n');
}

const withReport = ({ name, about, given }: (typeof doctorCases)[number]): TableCase => {
  return { name, about, parts: { all: given + reportOf(name) } };
};
if (process.env.UPDATE_CASES === '1') writeTable(doctorTable, doctorCases.map(withReport), 'all');
for (const { name, report } of doctorCases) t.equal(report, reportOf(name), name);

t.test('every check has a case with a fault, and a case without', (t) => {
  const all = names.flatMap(resultsOf);
  for (const { id } of checks) {
    const verdicts = new Set(all.filter((result) => result.id === id).map((result) => result.verdict));
    t.ok(verdicts.has('ok'), `${id}: ok`);
    if (id !== 'selinux') t.ok(verdicts.has('failed') || verdicts.has('warning'), `${id}: failed or warning`);
  }
  t.end();
});

t.test('every check has evidence, and every failed check has a fix', (t) => {
  for (const name of names) {
    const all = resultsOf(name);
    const idsOf = (list: readonly CheckResult[]): readonly string[] => list.map(({ id }) => id);
    t.strictSame(idsOf(all.filter(({ found }) => found.length === 0)), [], `${name}: every check has evidence`);
    // A warning about a setting needs no fix, because its evidence names the line of the file to change.
    const unmended = all.filter(({ verdict, fix }) => verdict === 'failed' && fix.length === 0);
    t.strictSame(idsOf(unmended), [], `${name}: every failed check has a fix`);
  }
  t.end();
});

t.test('a shell accepts the lines of a fix, whose sentences are comments', (t) => {
  const lines = new Set(names.flatMap((name) => resultsOf(name).flatMap(({ fix }) => fix)));
  for (const line of lines) {
    const { status, stderr } = spawnSync('bash', ['-n', '-c', line], { encoding: 'utf8' });
    t.equal(status, 0, `${line}: ${stderr}`);
    const command = line.replaceAll(/'[^']*'|"[^"]*"/g, 'WORD').replace(/(^| )#.*/, '');
    if (command !== '') t.match(command, programs, line);
    t.notMatch(command, /[,;:] | \(/, line);
  }
  t.end();
});

t.test('a profile of an earlier agent is reported', (t) => {
  const profile = { path: '/x', uuid: 'x', id: 'ovs-port-phys0', filename: '', settings: {} };
  const examination = changed(examinationOf('healthy'), { 'networkManager/value/profiles/[+]': profile });
  t.doesNotThrow(() => judge(examination));
  t.end();
});

t.test('a judgement is made from facts alone', (t) => {
  for (const name of names) t.strictSame(judge(examinationOf(name)), resultsOf(name), name);
  t.end();
});
