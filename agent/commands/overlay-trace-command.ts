import { AgentError, type ExitCode, exitCode } from '../errors.ts';
import type { TraceQuestion } from '../model/overlay-trace.ts';
import { traceOverlay } from '../run/overlay/node/trace-packet.ts';
import { traceDocument } from '../view/json/overlay-trace-json.ts';
import { isThrough, traceText } from '../view/trace-view.ts';
import type { Output } from './output.ts';
import { startOverlay } from './overlay-start-command.ts';

export interface TraceOptions {
  readonly tcp?: number;
  readonly udp?: number;
  readonly icmp?: true;
  readonly back?: true;
  readonly fromNode?: string;
}

/**
 * `overlay trace`: follows a packet and prints each decision about it. Sends no packet. Exit code 3 if the packet is
 * not delivered.
 */
export async function trace(
  source: string,
  destination: string,
  options: TraceOptions,
  output: Output,
): Promise<ExitCode> {
  const command = 'overlay trace';
  const { places } = await startOverlay(command);
  const question = questionOf(source, destination, options);
  const result = await traceOverlay(question, options.back ?? false, places);
  const outcome = isThrough(result) ? 'delivered' : 'dropped';
  output.result(traceText(result, output.style), traceDocument(result, outcome));
  return outcome === 'delivered' ? exitCode.done : exitCode.drift;
}

function questionOf(source: string, destination: string, { tcp, udp, icmp, fromNode }: TraceOptions): TraceQuestion {
  if ([tcp, udp, icmp].filter((one) => one !== undefined).length > 1)
    throw new AgentError('bad-usage', 'a packet is one of --tcp, --udp and --icmp', { hint: 'leave out the others' });
  const protocol = tcp !== undefined ? 'tcp' : udp !== undefined ? 'udp' : 'icmp';
  return { source, destination, protocol, port: tcp ?? udp ?? null, fromNode: fromNode ?? null };
}
