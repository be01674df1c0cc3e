// Journals of earlier runs: the target reads, lists and prints them, and makes the decisions of a recovery.
import { rmSync, writeFileSync } from 'node:fs';
import type { JournalHeader } from '../../../agent/model/journal.ts';
import { currentBridges } from '../../../agent/plan/bridge/current.ts';
import { planUndo } from '../../../agent/plan/make-plan.ts';
import { isInDesiredState } from '../../../agent/run/desired-state.ts';
import { readJournals, readOpenJournals } from '../../../agent/run/journal/journal-files.ts';
import { historyText, transactionText } from '../../../agent/view/history-view.ts';
import { plain } from '../../../agent/view/style.ts';
import { dhcpNode, observations, plans } from '../corpus.ts';
import { expectedFailure } from '../expect.ts';
import { readingOnly, scratchFolder } from '../scratch.ts';
import type { FuzzTarget } from '../target.ts';

const boot = '00000000-0000-4000-8000-000000000000';

/**
 * Returns the first lines of journals, without the events that follow, so that the fuzzer can change each as a JSON
 * tree.
 */
function headers(): readonly Buffer[] {
  const nodes = observations().filter((node) =>
    currentBridges(node).bridges.every((bridge) => bridge.uplink?.interface === 'eth0'),
  );
  return plans().map((plan, index) => {
    const node = nodes[index % nodes.length] ?? dhcpNode();
    const header: JournalHeader = {
      format: 1,
      id: '20261120T214749Z-04ca',
      command: 'apply',
      agentVersion: '0.1.0',
      startedAt: '2026-11-20T21:47:49.000Z',
      bootId: boot,
      plan,
      previous: currentBridges(node),
    };
    return Buffer.from(JSON.stringify(header));
  });
}

const events = [
  '\n{"event":"checkpoint","path":"/org/freedesktop/NetworkManager/Checkpoint/1"}\n',
  '\n{"event":"step","index":0,"tookMs":160}\n',
  '\n{"event":"step","index":-1,"tookMs":1}\n',
  '\n{"event":"state","state":"committed","at":"2026-11-20T21:47:50.000Z","detail":null}\n',
  '\n{"event":"state","state":"awaiting-confirm","at":"x","detail":null,"confirmUntil":"y"}\n',
  '\n{"event":"state","state":"never-heard-of","at":1,"detail":{}}\n',
  '\n{"event":"state"',
  '\nnull\n',
  '\n[]\n',
  '\n7\n',
];

export const journal: FuzzTarget = {
  corpus: () => {
    const plainOnes = headers();
    const ended = events.map((event, index) =>
      Buffer.concat([plainOnes[index % plainOnes.length] ?? Buffer.alloc(0), Buffer.from(event)]),
    );
    return [...plainOnes, ...ended, Buffer.from('{"format":2}'), Buffer.alloc(0)];
  },
  words: [...events, '\n', '{', '}', '"', '[', ']', ',', '"format":2', '"format":1', '\0', 'null'],
  form: 'json',
  open: () => {
    const node = dhcpNode();
    const folder = scratchFolder('journal');
    return {
      feed: (input, random) => {
        const file = `${folder.path}/20261120T214749Z-04ca.${random(2) === 0 ? 'open' : 'json'}`;
        writeFileSync(file, input, { mode: 0o600 });
        return readingOnly(folder.path, outcome).finally(() => rmSync(file));

        function outcome(): string {
          const { records, unusable } = readJournals(folder.path);
          readOpenJournals(folder.path);
          const [record] = records;
          if (record === undefined) return unusable.length === 1 ? 'set aside' : 'lost';
          historyText(records, plain, 80, 0);
          transactionText(record, plain, 0);
          JSON.stringify(record);
          try {
            isInDesiredState(record.header.plan, node);
            for (const link of record.header.plan.before) link.addresses.map(String);
            planUndo(record.header.previous, node).steps.map(String);
          } catch (error) {
            return expectedFailure(error);
          }
          return record.state;
        }
      },
      close: folder.remove,
    };
  },
};
