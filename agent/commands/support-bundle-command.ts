import { closeSync, constants, existsSync, fstatSync, openSync, rmSync } from 'node:fs';
import { runInto } from '../drivers/host/process/exec.ts';
import { AgentError, asAgentError, exitCode, messageOf } from '../errors.ts';
import { maskJson, maskText } from '../mask.ts';
import { overlayPlaces } from '../run/overlay/record/places.ts';
import { collectCommands, collectFiles, knownSecrets } from '../support/collect.ts';
import { commandItems, fileItems, overlayCommandItems, overlayFileItems } from '../support/items.ts';
import { openStaging, type Staging } from '../support/staging.ts';
import { agentVersion } from '../version.ts';
import { printedDocument } from '../view/json/document.ts';
import { errorDocument } from '../view/json/error-json.ts';
import { supportBundleDocument } from '../view/json/node-json.ts';
import { plain } from '../view/style.ts';
import type { Output } from './output.ts';
import { requireRoot } from './root.ts';

/**
 * Time limit of a report in the archive, longer than the limit of each query that a report needs. A report that takes
 * longer is replaced by an error.
 */
const reportMs = 30_000;
/**
 * Time limit for writing the archive. tar and gzip take a second for 24 MiB; a disk that blocks for a minute is broken.
 */
const archiveMs = 60_000;

/**
 * `support-bundle [-o FILE]`: writes one archive with the data that support needs, without secrets. FILE `-` is
 * standard output.
 */
export async function supportBundle(target: string | undefined, output: Output): Promise<void> {
  requireRoot('support-bundle');
  const name = bundleName(new Date());
  const file = target ?? `/var/tmp/${name}.tar.gz`;
  // The archive file is opened before the data are collected, so that a path that cannot be written is reported at
  // once.
  const descriptor = file === '-' ? standardOutput() : openNew(file);
  try {
    const staging = openStaging(name);
    try {
      await untilInterrupted(() => collect(staging, output));
      const words = ['--create', '--gzip', '--owner=0', '--group=0', `--directory=${staging.parent}`, staging.name];
      await runInto(descriptor, 'tar', words, archiveMs);
      const sizeBytes = fstatSync(descriptor).size;
      if (file === '-') return;
      const incomplete = staging.entries.filter((entry) => entry.note !== null).length;
      output.result(
        [
          `${file}  ${Math.ceil(sizeBytes / 1024)} KiB, ${staging.entries.length} files (${incomplete} with a note, see CONTENTS.txt)`,
          'Secrets are masked; addresses, MACs and names of hosts are not. Look through it before you give it away.',
        ].join('\n'),
        supportBundleDocument(file, sizeBytes, staging.entries),
      );
    } finally {
      staging.remove();
    }
  } catch (error) {
    if (file !== '-') rmSync(file, { force: true });
    throw error;
  } finally {
    if (file !== '-') closeSync(descriptor);
  }
}

/**
 * Waits until `work` has ended. Fails with `interrupted` at the first signal, after which the caller removes its files.
 */
async function untilInterrupted(work: () => Promise<void>): Promise<void> {
  let stop: (signal: string) => void = () => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    stop = (signal) => reject(new AgentError('interrupted', `stopped by ${signal}`, { hint: 'run it again' }));
  });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  await Promise.race([work(), interrupted]).finally(() => {
    for (const signal of signals) process.off(signal, stop);
  });
}

async function collect(staging: Staging, output: Output): Promise<void> {
  const secrets = knownSecrets();
  output.say('collecting; this takes some seconds');
  const hasOverlay = existsSync(overlayPlaces.record);
  const commands = hasOverlay ? [...commandItems, ...overlayCommandItems] : commandItems;
  await Promise.all([collectReports(staging, secrets, hasOverlay), collectCommands(staging, commands, secrets)]);
  collectFiles(staging, hasOverlay ? [...fileItems, ...overlayFileItems] : fileItems, secrets);
  const lines = staging.entries.map(
    ({ file, bytes, note }) => `${String(bytes).padStart(8)}  ${file}${note === null ? '' : `  (${note})`}`,
  );
  const head = `microshift-net ${agentVersion}, ${new Date().toISOString()}; secrets are masked`;
  staging.add('CONTENTS.txt', `${[head, '', ...lines].join('\n')}\n`, null);
}

type Report = readonly [name: string, run: (output: Output) => unknown];

/** Collects the agent's own reports, as text and as JSON. */
async function collectReports(staging: Staging, secrets: readonly string[], hasOverlay: boolean): Promise<void> {
  const [{ plan, verify }, { status }, { history }, { doctor }, { configShow }] = await Promise.all([
    import('./plan-command.ts'),
    import('./status-command.ts'),
    import('./history-command.ts'),
    import('./doctor-command.ts'),
    import('./config-command.ts'),
  ]);
  const reports: Report[] = [
    ['doctor', doctor],
    ['plan', plan],
    ['verify', verify],
    ['status', status],
    ['history', (output) => history(undefined, output)],
    [
      'config',
      ({ result }) =>
        configShow(undefined, { result: (_, document) => result(`${JSON.stringify(document, null, 2)}\n`, document) }),
    ],
  ];
  if (hasOverlay) {
    const overlay = await import('./overlay-command.ts');
    for (const name of ['status', 'plan', 'verify', 'nodes'] as const) reports.push([`overlay-${name}`, overlay[name]]);
  }
  await Promise.all(reports.map((report) => collectReport(staging, secrets, report)));
}

async function collectReport(staging: Staging, secrets: readonly string[], [name, run]: Report): Promise<void> {
  const said: string[] = [];
  const results: { readonly text: string; readonly value: object }[] = [];
  const capturing: Output = {
    format: 'text',
    verbose: true,
    style: plain,
    progressStyle: plain,
    isJournal: false,
    announce: (message) => said.push(message.text),
    written: async () => undefined,
    result: (text, document, diagnostics) => {
      if (document !== null) results.push({ text, value: printedDocument(document, diagnostics ?? null) });
    },
    state: () => undefined,
    say: (message) => said.push(message),
    fail: () => exitCode.failed,
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new AgentError('deadline-exceeded', `no answer within ${reportMs / 1000} s`)),
      reportMs,
    );
  });
  const failure = await Promise.race([Promise.resolve().then(() => run(capturing)), late]).then(
    () => null,
    (error: unknown) => asAgentError(error),
  );
  clearTimeout(timer);
  const [result] = results;
  const value = result?.value ?? (failure === null ? {} : errorDocument(failure, name.replace('-', ' ')));
  const text = [...said, result?.text ?? '', ...(failure === null ? [] : [failure.message])].join('\n');
  const note = failure === null ? null : maskText(failure.message, secrets);
  staging.add(`reports/${name}.txt`, `${maskText(text, secrets)}\n`, note);
  staging.add(`reports/${name}.json`, `${JSON.stringify(maskJson(value, secrets), null, 1)}\n`, note);
}

/** Creates a file that only its owner can read. Never writes to an existing file or a link. */
function openNew(file: string): number {
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    return openSync(file, flags, 0o600);
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const why = exists ? 'it exists already' : messageOf(error);
    throw new AgentError('state-unwritable', `${file} cannot be written: ${why}`, {
      hint: 'name another file with -o, or write to standard output with -o -',
      cause: error,
      facts: { path: file },
    });
  }
}

function standardOutput(): number {
  if (!process.stdout.isTTY) return 1;
  throw new AgentError('bad-usage', 'an archive would be written to a terminal', {
    hint: 'name a file with -o, or pipe it',
  });
}

/**
 * Returns the name of the archive, which is also the name of the only folder in it: `microshift-net-20261120T214719Z`.
 */
function bundleName(now: Date): string {
  return `microshift-net-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
}
