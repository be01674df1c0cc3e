import { setFlagsFromString } from 'node:v8';
import { failureMessage } from '../run/messages.ts';
import { runDaemon } from '../run/overlay/daemon/daemon.ts';
import { readRecord } from '../run/overlay/record.ts';
import { errorText } from '../view/error-view.ts';
import type { Output } from './output.ts';
import { startOverlay } from './overlay-start.ts';

/** `overlay run`: the daemon of a node in an overlay. Ends when it is told to, and when the node has left. */
export async function run(output: Output): Promise<void> {
  const { config, places } = await startOverlay('overlay run');
  // Each collection is a whole one: it takes twice the CPU time of a look, and nothing is left lying for weeks (docs/lab/measurements.md). The central node
  // has all objects in its heap: a storm of pods would look through them over and over.
  if (readRecord(places.record)?.members === null) setFlagsFromString('--gc-global');
  const stop = new AbortController();
  const end = (): void => stop.abort();
  // For good: what is left to itself on a signal looks whether somebody else listens, and one that listens once is gone by then.
  process.on('SIGTERM', end).on('SIGINT', end);
  const fail = (error: Parameters<typeof errorText>[0]): void =>
    output.announce(failureMessage(error, errorText(error, output.style)));
  await runDaemon(config, places, { say: output.say, fail }, stop.signal);
}
