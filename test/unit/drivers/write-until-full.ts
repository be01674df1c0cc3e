// Program that full-disk.test.ts runs on a file system of a few pages: it writes more than the file system can hold,
// with each of the functions that write state.
import { readdirSync } from 'node:fs';
import { replaceFile, writeFileAtomically } from '../../../agent/drivers/host/files/files.ts';
import { writeManifestFiles } from '../../../agent/drivers/kubernetes/manifest-files.ts';
import { isAgentError } from '../../../agent/errors.ts';
import type { JournalHeader } from '../../../agent/model/journal.ts';
import { openJournal } from '../../../agent/run/journal/journal-files.ts';

const [directory = ''] = process.argv.slice(2);
const tooMuch = 'x'.repeat(200_000);
const header = { format: 1, id: 'full', command: tooMuch } as unknown as JournalHeader;
const ways: Readonly<Record<string, () => void>> = {
  writeFileAtomically: () => writeFileAtomically(`${directory}/state`, tooMuch),
  replaceFile: () => replaceFile(`${directory}/note`, tooMuch),
  writeManifestFiles: () => writeManifestFiles(directory, { '00-config-map.yaml': tooMuch }, 'ours'),
  openJournal: () => void openJournal(directory, header),
};

const outcomes = Object.entries(ways).map(([way, write]) => {
  try {
    write();
    return { way, error: null, left: readdirSync(directory) };
  } catch (error) {
    return { way, error: isAgentError(error) ? error.kind : String(error), left: readdirSync(directory) };
  }
});
process.stdout.write(JSON.stringify(outcomes));
