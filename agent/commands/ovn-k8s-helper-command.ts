import { appendFileSync } from 'node:fs';
import { removeFile, replaceFile } from '../drivers/host/files/files.ts';
import { startDetached } from '../drivers/host/process/exec.ts';
import { enterInJournal } from '../drivers/host/process/journal-entry.ts';
import { processOf } from '../drivers/host/process/pid-file.ts';
import { type AgentError, type ExitCode, exitCode } from '../errors.ts';
import type { SharedBridgeChange } from '../model/shared-bridge.ts';
import { keepShared, makeShared } from '../run/overlay/ovn-k8s/helper.ts';
import { errorText } from '../view/error-view.ts';
import { plain } from '../view/style.ts';
import type { Output } from './output.ts';
import { startOverlay } from './overlay-start-command.ts';

/**
 * Options of `ovn-k8s-gateway-helper`. A `pidfile` or `logFile` that is `true` was typed without a value, and stands
 * for the default file of ovn-kubernetes of 2017.
 */
export interface HelperWords {
  readonly physicalBridge: string;
  readonly physicalInterface: string;
  readonly pidfile?: string | true;
  readonly logFile?: string | true;
  readonly detach?: true;
}

const helper = 'ovn-k8s-gateway-helper';

/**
 * `ovn-k8s-gateway-helper`: installs the shared-bridge flows of a bridge, and maintains them until a signal stops the
 * process. With --detach, a process in the background maintains them. If the process in the pidfile is running, only
 * installs the flows. `started` is the command line of the program.
 */
export async function gatewayHelper(words: HelperWords, started: readonly string[], output: Output): Promise<ExitCode> {
  const { places } = await startOverlay('', helper);
  const { physicalBridge: bridge, physicalInterface: nic, pidfile, detach } = words;
  const pidFile = pidfile === true ? `${places.ovsRun}/${helper}.pid` : pidfile;
  const running = pidFile === undefined ? null : processOf(pidFile, helper);
  const report = (changes: readonly SharedBridgeChange[]): void => {
    const text = changes.length === 0 ? 'Nothing to do.' : `Done, ${changes.length} flows and tables.`;
    output.result(text, null);
  };
  if (running !== null && running !== process.pid) {
    report((await makeShared(bridge, nic, places, output.say)).changes);
    output.say(`process ${running} keeps them`);
    return exitCode.done;
  }
  if (detach === true) {
    const [script = '', ...line] = started;
    const again = line.filter((word) => word !== '--detach');
    const daemon = await startDetached(script, again, (text) => output.say(text.trimEnd()));
    if (daemon.line !== null) output.result(daemon.line, null);
    return daemon.exitCode as ExitCode;
  }
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.on('SIGTERM', end).on('SIGINT', end);
  const later = lateOutput(words.logFile, output);
  let say = output.say;
  const ready = (changes: readonly SharedBridgeChange[]): void => {
    if (pidFile !== undefined) replaceFile(pidFile, `${process.pid}\n`);
    report(changes);
    say = later;
  };
  const fail = (error: AgentError): void => say(errorText(error, plain));
  try {
    await keepShared(bridge, nic, places, { ready, fail, say: (text) => say(text) }, stop.signal);
  } finally {
    if (pidFile !== undefined) removeFile(pidFile);
  }
  return exitCode.done;
}

/**
 * Returns the function that writes messages after the flows have been installed for the first time. As with the daemons
 * of Open vSwitch, the messages go to the log file if one is requested. Otherwise, they go to systemd's journal, or to
 * standard error without a journal.
 */
function lateOutput(logFile: string | true | undefined, output: Output): (text: string) => void {
  if (logFile !== undefined) {
    const path = logFile === true ? `/var/log/openvswitch/${helper}.log` : logFile;
    return (text) => appendFileSync(path, `${new Date().toISOString()} ${text}\n`);
  }
  return (text) => {
    void enterInJournal({ MESSAGE: text, PRIORITY: '5' }).then((entered) => {
      if (!entered) output.say(text);
    });
  };
}
