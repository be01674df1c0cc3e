// Recording of a terminal in asciicast v2 (docs.asciinema.org/manual/asciicast/v2): a line of JSON with the header, and
// then a line for each output.
import { appendFileSync, writeFileSync } from 'node:fs';

/** Size of the recorded terminal. The widest output, a drawing of `plan`, fits it. */
const terminal = { width: 132, height: 40 };
/** Longest pause, in seconds, that a player shows; the times in the file are the real ones. */
const idleLimitSeconds = 3;

/**
 * Starts a recording in a new file; returns a function that appends an output with its time. `nowMs` is a clock in
 * milliseconds since 1970.
 */
export function startRecording(path: string, title: string, nowMs: () => number): (output: string) => void {
  const startedMs = nowMs();
  const header = {
    version: 2,
    ...terminal,
    timestamp: Math.floor(startedMs / 1000),
    title,
    idle_time_limit: idleLimitSeconds,
  };
  writeFileSync(path, `${JSON.stringify(header)}\n`);
  return (output) => {
    const seconds = (nowMs() - startedMs) / 1000;
    // A terminal in raw mode needs a carriage return to begin a line.
    const data = output.replaceAll(/\r?\n/g, '\r\n');
    appendFileSync(path, `${JSON.stringify([seconds, 'o', data])}\n`);
  };
}
