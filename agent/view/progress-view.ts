import type { ProgressEvent } from '../model/progress.ts';
import { stepTitle } from './plan-view.ts';
import type { Style } from './style.ts';

/** `[3/9] attach eth0 to br-ex … 212 ms`; null for an event that prints nothing. */
export function progressLine(event: ProgressEvent, style: Style): string | null {
  if (event.state === 'started') return null;
  const number = style('dim', `[${String(event.index + 1).padStart(String(event.total).length)}/${event.total}]`);
  const end = event.state === 'failed' ? style('red', 'failed') : `${Math.round(event.tookMs)} ms`;
  return `${number} ${stepTitle(event.step)} … ${end}`;
}
