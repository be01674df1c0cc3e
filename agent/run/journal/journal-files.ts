import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { readSmallFile, syncDirectory, unwritable, writeFileAtomically } from '../../drivers/host/files/files.ts';
import { directoryFault } from '../../drivers/host/files/own-directory.ts';
import { AgentError } from '../../errors.ts';
import type { JournalEvent, JournalHeader, JournalRecord, TransactionState } from '../../model/journal.ts';
import { settleAdded } from './added-record.ts';
import { isJournalEvent, isJournalHeader } from './journal-form.ts';
import { isAskedFor, isKept } from './transactions.ts';

/**
 * Number of closed journals that are kept; the same number of invalid journals, which were set aside, is kept as well.
 * 20 journals cover a week with almost three changes a day.
 */
const keptJournals = 20;
/**
 * Size limit of a journal. The largest plan that was measured has far less than 1 MiB, so a file above the limit was
 * not written by the agent.
 */
const journalLimitBytes = 8 * 1024 * 1024;

/**
 * File name endings of journals. A journal is called ID.open while its transaction can still change its state, and
 * ID.json afterwards. A run recognizes the open journals by their names, without reading the closed ones.
 */
const openEnding = '.open';
const closedEnding = '.json';
/** File name ending of an open journal that was set aside because it is not valid. */
const asideEnding = '.unusable';

/** Optional fields of the journal entry about a new state of the transaction. */
export type StateDetails = Pick<Extract<JournalEvent, { readonly event: 'state' }>, 'later' | 'confirmUntil'>;

/** Journal of an open transaction on disk: one JSON value per line, the header first. */
export interface Journal {
  readonly id: string;
  /**
   * Appends an event without fsync. The event may be lost in a power cut, but survives a crash of the agent. Recovery
   * observes the real state anyway.
   */
  append(event: JournalEvent): void;
  /** Appends a state and fsyncs it, so that it survives a power cut. */
  setState(state: TransactionState, at: string, detail: string | null, more?: StateDetails): void;
  close(): void;
}

/**
 * Creates the journal of a transaction, durable before any change is made: the file exists complete or not at all. The
 * group of the folder may read the file (the setgid bit, inode(7)). Fails with `state-unwritable`.
 */
export function openJournal(directory: string, header: JournalHeader): Journal {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unwritable(directory, error);
  }
  const path = `${directory}/${header.id}${openEnding}`;
  if (existsSync(path)) throw unwritable(path, new Error('this transaction has a journal already'));
  writeFileAtomically(path, `${JSON.stringify(header)}\n`, 0o640);
  return appendTo(directory, header.id, '');
}

/** Opens the journal of an earlier transaction, so that the end of the transaction can be written. */
export function reopenJournal(directory: string, id: string): Journal {
  // A power cut may have left half a line. The line feed ends that line, so that the next event is on a line of its
  // own.
  return appendTo(directory, id, '\n');
}

function appendTo(directory: string, id: string, first: string): Journal {
  const path = `${directory}/${id}${openEnding}`;
  const named = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw unwritable(path, error);
    }
  };
  const descriptor = named(() => openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW));
  // writeFileSync() writes the whole text or fails. On a disk that fills up, fs.writeSync() may write only a part of
  // the text, and returns the number of bytes instead of failing.
  const write = (text: string): void => named(() => writeFileSync(descriptor, text));
  write(first);
  return {
    id,
    append: (event) => write(`${JSON.stringify(event)}\n`),
    setState: (state, at, detail, more = {}) => {
      const event: JournalEvent = { event: 'state', state, at, detail, ...more };
      write(`${JSON.stringify(event)}\n`);
      named(() => {
        fsyncSync(descriptor);
        if (state === 'open' || state === 'awaiting-confirm') return;
        settleAdded(readJournal(path).header, state, `${directory}/..`);
        renameSync(path, `${directory}/${id}${closedEnding}`);
        syncDirectory(directory);
      });
    },
    close: () => closeSync(descriptor),
  };
}

export interface JournalListing {
  /** Contents of the valid journals, newest first. */
  readonly records: readonly JournalRecord[];
  /** Files that are not valid journals, each with the reason; recovery ignores their content. */
  readonly unusable: readonly { readonly path: string; readonly why: string }[];
}

/**
 * Reads every journal. A journal that is damaged, foreign or of a newer version is listed as unusable and never
 * interpreted.
 */
export function readJournals(directory: string): JournalListing {
  return readNamed(directory, journalNames(directory));
}

/** Returns true if a transaction of an earlier run has not ended. */
export function hasOpenJournals(directory: string): boolean {
  return journalNames(directory).some((name) => name.endsWith(openEnding));
}

/** Returns the id of the last transaction; null before the first transaction. */
export function newestId(directory: string): string | null {
  return journalNames(directory).at(-1)?.split('.')[0] ?? null;
}

/** Reads only the journals whose transaction has not ended. */
export function readOpenJournals(directory: string): JournalListing {
  return readNamed(
    directory,
    journalNames(directory).filter((name) => name.endsWith(openEnding)),
  );
}

function readNamed(directory: string, names: readonly string[]): JournalListing {
  const records: JournalRecord[] = [];
  const fault = directoryFault(directory);
  const unusable: { path: string; why: string }[] = fault === null ? [] : [{ path: directory, why: fault }];
  for (const name of names.toReversed()) {
    const path = `${directory}/${name}`;
    try {
      records.push(readJournal(path));
    } catch (error) {
      unusable.push({ path, why: error instanceof Error ? error.message : String(error) });
    }
  }
  return { records, unusable };
}

/** Renames an unusable open journal, so that it is reported only once; `history` still lists it. */
export function setAside(path: string): void {
  try {
    renameSync(path, `${path}${asideEnding}`);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/**
 * Removes old journals. Keeps the last 20 closed journals, the last 20 invalid ones that were set aside, the last one
 * whose change was kept (the reference for repairs), and the last one whose change was kept and requested by a person
 * (the reference for `undo`).
 */
export function pruneJournals(directory: string): void {
  const named = (ending: string): string[] => journalNames(directory).filter((name) => name.endsWith(ending));
  const expired = [closedEnding, asideEnding].flatMap((ending) => named(ending).slice(0, -keptJournals));
  if (expired.length === 0) return;
  const last = (wanted: (record: JournalRecord) => boolean): string | undefined =>
    named(closedEnding).findLast((name) => is(`${directory}/${name}`, wanted));
  const stays = [last(({ state }) => isKept(state)), last((record) => isKept(record.state) && isAskedFor(record))];
  for (const name of expired.filter((entry) => !stays.includes(entry))) {
    try {
      rmSync(`${directory}/${name}`, { force: true });
    } catch {
      // An excess journal does no harm, so a failure to remove it does not fail the run.
    }
  }
}

function is(path: string, wanted: (record: JournalRecord) => boolean): boolean {
  try {
    return wanted(readJournal(path));
  } catch {
    return false;
  }
}

/**
 * Returns the file names of journals, oldest first; an empty list if the directory of the journals cannot be read, or
 * if other users can write to it.
 */
function journalNames(directory: string): string[] {
  try {
    if (directoryFault(directory) !== null) return [];
    return readdirSync(directory)
      .filter((name) => [openEnding, closedEnding, asideEnding].some((ending) => name.endsWith(ending)))
      .toSorted();
  } catch {
    return [];
  }
}

function readJournal(path: string): JournalRecord {
  if (path.endsWith(asideEnding)) throw unusable('it was set aside');
  const status = lstatSync(path);
  if (!status.isFile()) throw unusable('it is not a regular file');
  if (status.uid !== 0 && status.uid !== process.getuid?.()) throw unusable('it belongs to another user');
  if (status.size > journalLimitBytes) throw unusable('it is larger than any journal');
  const lines = (readSmallFile(path, journalLimitBytes) ?? '').split('\n');
  const header = parseLine(lines[0] ?? '');
  if (typeof header !== 'object' || header === null) throw unusable('its first line is damaged');
  const { format } = header as Partial<JournalHeader>;
  if (format !== 1) throw unusable(`its format ${JSON.stringify(format)} is not one this version knows`);
  if (!isJournalHeader(header)) throw unusable('its first line is incomplete');
  // A line that was damaged or cut short by a power cut is skipped: its event counts as not done.
  return summarize(header, lines.slice(1).map(parseLine).filter(isJournalEvent));
}

function summarize(header: JournalHeader, events: readonly JournalEvent[]): JournalRecord {
  const stepTimesMs = header.plan.steps.map<number | null>(() => null);
  let last: Extract<JournalEvent, { event: 'state' }> | undefined;
  let checkpoint: string | null = null;
  for (const event of events) {
    if (event.event === 'state') last = event;
    else if (event.event === 'checkpoint') checkpoint = event.path;
    else if (event.event === 'step' && event.index < stepTimesMs.length) stepTimesMs[event.index] = event.tookMs;
  }
  return {
    header,
    state: last?.state ?? 'open',
    stateAt: last?.at ?? header.startedAt,
    detail: last?.detail ?? null,
    later: last?.later ?? null,
    confirmUntil: last?.confirmUntil ?? null,
    checkpoint,
    stepTimesMs,
  };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function unusable(why: string): AgentError {
  return new AgentError('journal-unusable', why);
}
