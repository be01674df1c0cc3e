// The report of doctor on terminals of several widths.
import { spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import t from 'tap';
import { judge } from '../../../agent/doctor/checks.ts';
import type { CheckResult } from '../../../agent/model/examination.ts';
import { doctorText } from '../../../agent/view/doctor-view.ts';
import { shellLines } from '../../../agent/view/shell-lines.ts';
import { plain, styleFor } from '../../../agent/view/style.ts';
import { doctorCases, examinationOf } from '../doctor/examined.ts';

process.env.TZ = 'UTC';
const nowMs = Date.parse('2026-11-20T21:51:42.000Z');
const reports = doctorCases.map(({ name }) => judge(examinationOf(name)));
const widths = [60, 80, 150];

const complaint: CheckResult = {
  id: 'journal',
  title: 'no transaction is unfinished, and none waits for anything',
  verdict: 'failed',
  found: ['transaction 20261120T214749Z-04ca (apply) waits to be confirmed until 2026-11-20T21:52:00.000Z'],
  fix: ["kubectl --kubeconfig /var/lib/kubeconfig delete pod -l 'app in (a,b)' # once the cause is fixed"],
};

t.test('long lines continue with an indent, and times are local and relative', (t) => {
  const lines = doctorText([complaint], plain, { verbose: false, width: 60, nowMs }).split('\n');
  t.strictSame(lines.slice(0, -2), [
    'FAILED   journal  no transaction is unfinished, and none',
    '                  waits for anything',
    '         transaction 20261120T214749Z-04ca (apply) waits to',
    '           be confirmed until 2026-11-20 21:52:00 (in 18 s)',
    '         fix: kubectl --kubeconfig /var/lib/kubeconfig \\',
    "                delete pod -l 'app in (a,b)'",
    '              # once the cause is fixed',
  ]);
  t.end();
});

t.test('no line of a case is longer than the width, unless it is one long word', (t) => {
  const terminal = styleFor({ isTTY: true } as NodeJS.WriteStream);
  for (const width of widths) {
    for (const results of reports) {
      const text = doctorText(results, plain, { verbose: true, width, nowMs });
      const over = text.split('\n').filter((line) => line.length > width && / \S/.test(content(line)));
      t.strictSame(over, [], `${width} columns`);
      const unlimited = doctorText(results, plain, { verbose: true, width: null, nowMs });
      const words = (one: string): string[] => one.split(/\s+/).filter((word) => !['\\', '#', 'fix:'].includes(word));
      // One text is compared in place of thousands of words, because tap formats each item of an array.
      t.equal(words(text).join(' '), words(unlimited).join(' '), 'the wrapped text has all words');
      const painted = doctorText(results, terminal, { verbose: true, width, nowMs });
      t.equal(stripVTControlCharacters(painted), text, 'colours do not change the text');
    }
  }
  t.end();
});

/** Returns a line without its indent, the word `fix:`, the comment sign, and the backslash of a continued command. */
function content(line: string): string {
  return line
    .trim()
    .replace(/^fix: /, '')
    .replace(/^# /, '')
    .replace(/ \\$/, '');
}

t.test('a shell reads the lines of a fix as the same command', (t) => {
  const all = new Set(reports.flatMap((results) => results.flatMap(({ fix }) => fix)));
  const wide = [...all, ...complaint.fix].filter((line) => line.length > 40);
  // Every line becomes a function, whose definition bash prints in parsed form.
  const printed = (texts: readonly string[]): string => {
    const script = texts.map((text, index) => `f${index}() {\n:\n${text}\n}\ndeclare -f f${index}`).join('\n');
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    t.equal(stderr, '');
    return stdout;
  };
  t.ok(wide.length > 20, 'the cases contain long command lines');
  t.equal(printed(wide.map((line) => shellLines(line, 40).join('\n'))), printed(wide));
  t.end();
});
