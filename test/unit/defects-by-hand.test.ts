// Table of defects in test/mutants.mjs, whose texts have to exist in the agent.
import { readFileSync } from 'node:fs';
import t from 'tap';

t.test('the text of each defect occurs once in its file', (t) => {
  const [, table = ''] = /^const defects = (\[[\s\S]*?^\]);/m.exec(readFileSync('test/mutants.mjs', 'utf8')) ?? [];
  const rows = new Function(`return ${table}`)() as readonly (readonly [file: string, text: string])[];
  t.equal(rows.length, 30);
  for (const [file, text] of rows)
    t.equal(readFileSync(`agent/${file}.ts`, 'utf8').split(text).length, 2, `${file}: ${text}`);
  t.end();
});
