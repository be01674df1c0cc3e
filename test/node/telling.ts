// Output of the demonstrations, on the terminal and, with RECORD=FILE, in a recording.
import { startRecording } from './recording.ts';

const file = process.env.RECORD ?? '';
const record = file === '' ? null : startRecording(file, 'microshift-net', Date.now);

export const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
  record?.(`${text}\n`);
};
export const heading = (text: string): void => say(`\n── ${text} ${'─'.repeat(Math.max(0, 74 - text.length))}\n`);
export const indent = (text: string): string => text.replace(/\s+$/, '').replace(/^(?=.)/gm, '  ');
export const ms = (value: number): string =>
  value >= 1000 ? `${(value / 1000).toFixed(1)} s` : `${Math.round(value)} ms`;
