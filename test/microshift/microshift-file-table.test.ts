// The table of facts about MicroShift's files matches the real files, and the stand-ins match the table.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { microshiftFileTable, microshiftStandInFile } from '../node/microshift-file-table.ts';
import { microshiftFilesSkip, microshiftFolder } from './microshift-folder.ts';

for (const file of microshiftFileTable) {
  t.test(`${file.path}, the stand-in`, (t) => {
    const content = Buffer.from(microshiftStandInFile(file.path));
    t.equal(content.length, file.bytes);
    const [[mark, at] = ['', 0]] = Object.entries(file.marks).filter(([word]) => content.includes(word));
    t.equal(content.indexOf(mark), at, `"${mark}" is at the same offset as in the real file`);
    t.end();
  });
  t.test(`${file.path}, the real one`, { skip: microshiftFilesSkip }, (t) => {
    const real = join(microshiftFolder ?? '', file.path);
    const content = readFileSync(real);
    t.equal(content.length, file.bytes, 'bytes');
    for (const [mark, at] of Object.entries(file.marks)) t.equal(content.indexOf(mark), at, `"${mark}"`);
    t.equal(statSync(real).mode & 0o777, file.mode, 'mode');
    t.end();
  });
}
