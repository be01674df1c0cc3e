// Traces of packets through recorded clusters: rows of the databases, and the output of ovn-trace and ofproto/trace.
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { TracedWay, TracePacket } from '../../../agent/model/overlay-trace.ts';
import { departureOf } from '../../../agent/trace/ends.ts';
import type { LegFacts } from '../../../agent/trace/leg.ts';
import { localPart, localQuestions } from '../../../agent/trace/local-part.ts';
import { type LogicalPort, networkOf } from '../../../agent/trace/logical-network.ts';
import { microflow } from '../../../agent/trace/packet.ts';
import { ruleBook } from '../../../agent/trace/rules.ts';
import { answerTo, beginWay, continueWay, nextStart, translationsOf, wayOf } from '../../../agent/trace/way.ts';
import { traceDocument } from '../../../agent/view/json/overlay-trace-json.ts';
import { plain } from '../../../agent/view/style.ts';
import { isThrough, traceText } from '../../../agent/view/trace-view.ts';
import { equalsGolden } from '../golden-file.ts';
import { schemaFaults } from '../view/json/schemas.ts';
import { json, recordedOutput, recordedRows, type TraceCase, traceCases, traceNames } from './recorded.ts';
import { type TraceTool, withSkippedLines } from './skipped-lines.ts';

for (const name of traceNames()) {
  t.test(name, (t) => {
    const words = wordsOf(t, name);
    equalsGolden(t, join(traceCases, name, 'words.txt'), words);
    t.equal(wordsOf(t, name, withSkippedLines), words, 'lines that the case leaves out do not change the output');
    t.end();
  });
}

/**
 * Returns the output of the command for a case, with its exit code; `printed` restores the output of a tool from the
 * part that the case contains.
 */
function wordsOf(t: Test, name: string, printed = (_tool: TraceTool, kept: string): string => kept): string {
  const { release, node, isMember, withBack, ovnTraceOf, question } = json<TraceCase>(name, 'question.json');
  const { southbound, northbound, switchRows } = recordedRows(release, node ?? '');
  const network = networkOf(southbound);
  const facts = { network, rules: ruleBook(southbound, isMember ? null : northbound), undo: [] };

  const said = (file: string, flow: string): string => {
    const folder = file.includes('-here-') ? name : (ovnTraceOf ?? name);
    const { asked, text } = recordedOutput(folder, `${file}.txt`);
    t.equal(flow, asked, `${file}: the recorded output belongs to this packet`);
    return printed(file.includes('-here-') ? 'ofproto-trace' : 'ovn-trace', text);
  };
  const follow = (direction: string, legFacts: LegFacts, inPort: LogicalPort, packet: TracePacket): TracedWay => {
    let way = beginWay(legFacts, inPort, network.carrier(inPort), packet);
    let run = 0;
    for (let start = nextStart(way); start !== null; start = nextStart(way)) {
      run += 1;
      const flow = `${start.inPort.datapath.name} ${microflow(start.inPort.name, start.packet)}`;
      way = continueWay(way, start, said(`${direction}-${run}`, flow));
    }
    const whole = wayOf(way);
    const here = localQuestions(whole, node ?? '', network, switchRows).map((one, index) =>
      localPart(one, said(`${direction}-here-${index + 1}`, one.flow), facts, switchRows),
    );
    return { ...whole, here };
  };
  const { inPort, packet } = departureOf(question, network, southbound);
  const there = follow('there', facts, inPort, packet);
  const end = 'port' in there.end ? network.port(there.end.port) : null;
  const undo = translationsOf(there);
  const back = withBack && end !== null ? follow('back', { ...facts, undo }, end, answerTo(there)) : null;
  const result = { question, node: node ?? 'a node', there, back };
  const document = traceDocument(result, isThrough(result) ? 'delivered' : 'dropped');
  t.equal(schemaFaults('overlay-trace', document), null);
  return `${traceText(result, plain)}\n${isThrough(result) ? 'through' : 'not through'}\n`;
}
