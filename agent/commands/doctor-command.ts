import { judge } from '../doctor/checks.ts';
import { type ExitCode, exitCode } from '../errors.ts';
import { examine } from '../run/examination/examine.ts';
import { doctorText } from '../view/doctor-view.ts';
import type { Output } from './output.ts';
import { requireRoot } from './root.ts';

/** `doctor`: checks everything that can keep br-ex from working and prints fixes. Exit code 3 if a check failed. */
export async function doctor(output: Output): Promise<ExitCode> {
  requireRoot('doctor');
  const examination = await examine();
  const checks = judge(examination);
  const failed = checks.some((check) => check.verdict === 'failed');
  const outcome = failed ? 'failed' : 'fine';
  output.result(doctorText(checks, output.style, output.verbose), { command: 'doctor', outcome, checks, examination });
  return failed ? exitCode.drift : exitCode.done;
}
