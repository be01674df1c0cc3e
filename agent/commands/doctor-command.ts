import { judge } from '../doctor/checks.ts';
import { type ExitCode, exitCode } from '../errors.ts';
import { examine } from '../run/examination/examine.ts';
import { doctorText } from '../view/doctor-view.ts';
import { doctorDocument } from '../view/json/node-json.ts';
import type { Output } from './output.ts';
import { requireRoot } from './root.ts';
import { terminalWidth } from './terminal-width.ts';

/**
 * `doctor`: checks what can keep br-ex, MicroShift or the overlay from working, and prints fixes. Exit code 3 if a
 * check failed.
 */
export async function doctor(output: Output): Promise<ExitCode> {
  requireRoot('doctor');
  const examination = await examine();
  const checks = judge(examination);
  const document = doctorDocument(checks);
  const screen = { verbose: output.verbose, width: terminalWidth(process.stdout), nowMs: Date.now() };
  output.result(doctorText(checks, output.style, screen), document, { examination }, 'verbatim');
  return document.outcome === 'failed' ? exitCode.drift : exitCode.done;
}
