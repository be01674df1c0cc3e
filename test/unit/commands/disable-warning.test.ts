import t from 'tap';
import { warnOfOverlay } from '../../../agent/commands/apply-command.ts';

t.test('disable on a node of an overlay warns of its effect on the overlay', (t) => {
  const folder = t.testdir({ 'overlay.json': '{}' });
  const warnings = (record: string): readonly string[] => {
    const said: string[] = [];
    warnOfOverlay(`${folder}/${record}`, { say: (text) => void said.push(text) });
    return said;
  };
  t.match(warnings('overlay.json'), [/^warning: this node stays a member of its overlay; .*overlay disable/]);
  t.strictSame(warnings('absent.json'), []);
  t.end();
});
