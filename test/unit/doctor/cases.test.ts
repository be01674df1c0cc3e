import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { checks, judge } from '../../../agent/doctor/checks.ts';
import type { CheckResult } from '../../../agent/model/examination.ts';
import { doctorText } from '../../../agent/view/doctor-view.ts';
import { plain } from '../../../agent/view/style.ts';
import { changed } from '../plan/change.ts';
import { caseOf, doctorCases, examinationOf } from './examined.ts';

/** One folder is one case, see README.md there. UPDATE_CASES=1 writes what comes of each, to be read before it is committed. */
const names = readdirSync(doctorCases, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .toSorted();

function text(name: string, file: string): string | null {
  const path = join(doctorCases, name, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** With what a command of a fix may begin. */
const programs =
  /^(cat|chown|dnf|du|echo|firewall-cmd|grep|grubby|ip|journalctl|kdumpctl|kill|kubectl|microshift-net|modprobe|mount|networkctl|nft|nmcli|ovs-vsctl|rm|sysctl|systemctl|tail|timedatectl)( |$)/;

/** Of a case that changes another one, only what comes out differently. */
function newResults(name: string): readonly CheckResult[] {
  const results = judge(examinationOf(name));
  const base = caseOf(name)?.examination;
  if (base === undefined) return results;
  const before = new Set(judge(examinationOf(base)).map((result) => JSON.stringify(result)));
  return results.filter((result) => !before.has(JSON.stringify(result)));
}

for (const name of names) {
  t.test(name, (t) => {
    const report = `${doctorText(newResults(name), plain, true)}\n`;
    if (process.env.UPDATE_CASES === '1') writeFileSync(join(doctorCases, name, 'report.txt'), report);
    t.equal(report, text(name, 'report.txt'));
    t.end();
  });
}

t.test('every check has a case in which it complains, and one in which it does not', (t) => {
  const all = names.flatMap((name) => judge(examinationOf(name)));
  for (const { id } of checks) {
    const verdicts = new Set(all.filter((result) => result.id === id).map((result) => result.verdict));
    t.ok(verdicts.has('ok'), `${id}: ok`);
    if (id !== 'selinux') t.ok(verdicts.has('failed') || verdicts.has('warning'), `${id}: failed or warning`);
  }
  t.end();
});

t.test('who complains says how to mend it', (t) => {
  for (const name of names) {
    for (const { id, verdict, found, fix } of judge(examinationOf(name))) {
      t.ok(found.length > 0, `${name}: ${id} has evidence`);
      // A warning about a setting names the line to change.
      if (verdict === 'failed') t.ok(fix.length > 0, `${name}: ${id} has a fix`);
    }
  }
  t.end();
});

t.test('a fix can be given to a shell: words are a comment', (t) => {
  const lines = new Set(names.flatMap((name) => judge(examinationOf(name)).flatMap(({ fix }) => fix)));
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
  for (const name of names) t.strictSame(judge(examinationOf(name)), judge(examinationOf(name)), name);
  t.end();
});
