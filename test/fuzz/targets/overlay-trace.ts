// Output of ovn-trace and ofproto/trace. It contains names of ports and rows, which an account with write access can
// choose freely.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseRows } from '../../../agent/model/rows.ts';
import { departureOf } from '../../../agent/trace/ends.ts';
import { localPart } from '../../../agent/trace/local-part.ts';
import { networkOf } from '../../../agent/trace/logical-network.ts';
import { ruleBook } from '../../../agent/trace/rules.ts';
import { beginWay, continueWay, nextStart, wayOf } from '../../../agent/trace/way.ts';
import { plain, printable as shown } from '../../../agent/view/style.ts';
import { traceText } from '../../../agent/view/trace-view.ts';
import { recordedOutput, traceCases, traceNames } from '../../unit/trace/recorded.ts';
import { printable } from '../expect.ts';
import type { FuzzTarget } from '../target.ts';

const question = { source: 'default/a', destination: '10.43.0.10', protocol: 'tcp', port: 80, fromNode: null } as const;

export const overlayTrace: FuzzTarget = {
  corpus: () =>
    ['there-1.txt', 'back-2.txt', 'there-here-1.txt'].flatMap((file) =>
      traceNames()
        .filter((name) => existsSync(path.join(traceCases, name, file)))
        .map((name) => Buffer.from(recordedOutput(name, file).text)),
    ),
  words: [
    'inport="',
    'outport="',
    ' 9. ls_in_acl: ',
    ', priority 1, uuid ',
    'ct_lb_mark(backends=',
    'output:',
    '->',
    '---',
    '\n',
  ],
  form: 'bytes',
  open: () => {
    const file = path.join(process.cwd(), 'test/cases/trace/network-23.03.json');
    const tables = JSON.parse(readFileSync(file, 'utf8')) as Record<string, DatabaseRows['tables']>;
    const rowsOf = (database: string, key: string): DatabaseRows => ({
      database,
      shape: {},
      tables: tables[key] ?? {},
    });
    const southbound = rowsOf('OVN_Southbound', 'southbound');
    const network = networkOf(southbound);
    const facts = { network, rules: ruleBook(southbound, rowsOf('OVN_Northbound', 'northbound')), undo: [] };
    const { inPort, packet } = departureOf(question, network, southbound);
    return {
      feed: (input) => {
        const text = input.toString();
        let way = beginWay(facts, inPort, network.carrier(inPort), packet);
        for (let start = nextStart(way); start !== null; start = nextStart(way)) way = continueWay(way, start, text);
        const here = [localPart({ device: 'pod-a', flow: '' }, text, facts, southbound)];
        const there = { ...wayOf(way), here };
        printable(shown(traceText({ question, node: 'n1', there, back: null }, plain), plain), 'the trace of a packet');
        return there.end.how;
      },
      close: () => undefined,
    };
  },
};
