import { setFlagsFromString } from 'node:v8';
import { failureMessage } from '../run/messages.ts';
import { runDaemon } from '../run/overlay/daemon/daemon.ts';
import { readRecord } from '../run/overlay/record/record.ts';
import { errorText } from '../view/error-view.ts';
import type { Output } from './output.ts';
import { startOverlay } from './overlay-start-command.ts';

/**
 * `overlay run`: runs the daemon of a node in an overlay, until a signal stops the daemon or the node has left the
 * overlay.
 */
export async function run(output: Output): Promise<void> {
  const { config, places } = await startOverlay('overlay run');
  // On a member, every garbage collection is a full one, so that no memory stays allocated for weeks. A check of the
  // node then takes more than twice the CPU time (docs/lab/measurements.md). The central node keeps the usual
  // collections, because full ones would scan all objects of the cluster repeatedly while many pods change.
  if (readRecord(places.record)?.members === null) setFlagsFromString('--gc-global');
  const stop = new AbortController();
  const end = (): void => stop.abort();
  // The listeners of the signals are added by `on` and not by `once`. The package signal-exit ends the process unless
  // another listener of the signal is registered, and a `once` listener is removed before that check.
  process.on('SIGTERM', end).on('SIGINT', end);
  const fail = (error: Parameters<typeof errorText>[0]): void =>
    output.announce(failureMessage(error, errorText(error, output.progressStyle)));
  await runDaemon(config, places, { say: output.say, fail }, stop.signal);
}
