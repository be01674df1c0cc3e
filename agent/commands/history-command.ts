import { inWords, planInWords } from '../compare/in-words.ts';
import { presentRecord } from '../compare/pending-change.ts';
import { askCheckpoints } from '../facts/ask-services.ts';
import { journalDirectory } from '../model/journal.ts';
import { readJournals } from '../run/journal/journal-files.ts';
import { findTransaction } from '../run/journal/transactions.ts';
import { historyText, transactionText } from '../view/history-view.ts';
import { historyDocument, transactionDocument } from '../view/json/status-json.ts';
import type { Output } from './output.ts';
import { expiryFacts } from './pending.ts';
import { requireReadable } from './root.ts';
import { terminalWidth } from './terminal-width.ts';

/**
 * `history [TX]`: prints the last transactions, or one in detail. Asks NetworkManager whether a change still waits for
 * confirmation. The node's clock does not show this reliably, because it may have been set since the change.
 */
export async function history(id: string | undefined, output: Output): Promise<void> {
  requireReadable('history', journalDirectory);
  const { records: written, unusable } = readJournals(journalDirectory);
  const waits = written.some(({ state }) => state === 'awaiting-confirm');
  const facts = expiryFacts(waits ? await askCheckpoints() : null);
  const records = written.map((record) => presentRecord(record, facts));
  for (const file of unusable) output.say(`warning: ${file.path} is not a usable journal: ${file.why}`);
  if (id === undefined) {
    const width = terminalWidth(process.stdout);
    output.result(historyText(records, output.style, width, Date.now()), historyDocument(records));
    return;
  }
  const record = findTransaction(records, id);
  const plan = planInWords(record.header.plan);
  const document = transactionDocument(record, plan.differences.map(inWords));
  output.result(transactionText(record, output.style, Date.now()), document, {
    transaction: { ...record, header: { ...record.header, plan } },
  });
}
