import { countsAsNotSet } from '../config/effective.ts';
import { hintIn } from '../facts/hints.ts';
import type { DiskFacts, HintFileFacts } from '../model/examination.ts';
import { familyOf } from '../net/address.ts';
import { quotedName, shownName } from '../plan/uplink/choice-trace.ts';
import { shellWord } from '../printable.ts';
import { advice, type Check, type Finding, failed, given, ok, verdictOf, warning } from './finding.ts';

/**
 * Free space, in bytes, below which the check of a disk warns. A journal has at most 8 MiB, usually 50 KiB. The agent
 * keeps the last 20 journals, the last 20 unusable ones, and two older ones to which later runs refer.
 */
const scarceBytes = 16 * 1024 * 1024;
/** Free space, in bytes, below which the check of a disk fails, because `apply` may be unable to write its journal. */
const noneBytes = 1024 * 1024;
const scarceFiles = 64;

/** Checks of the files and disks that a run needs. */
export const fileChecks: readonly Check[] = [
  {
    id: 'configuration',
    title: 'ovn.yaml and config.yaml',
    judge: ({ config }) => {
      if (config.failure !== null) {
        const { message, hint } = config.failure;
        return failed(message, advice(hint), 'microshift-net config check');
      }
      const { warnings, clusterProblems = [] } = config.value;
      return verdictOf(
        [
          ...clusterProblems.map(({ message, hint }) =>
            failed(countsAsNotSet(message), advice(hint), 'microshift-net config check'),
          ),
          ...warnings.map(({ source, message }) => warning(`${source}: ${message}`)),
        ],
        'every setting is valid',
      );
    },
  },
  {
    id: 'hint-files',
    title: 'hint files',
    judge: ({ files, network }) =>
      given(files, ({ hints }) => {
        const links = network.value?.links.map((link) => link.name) ?? null;
        return verdictOf(
          hints.flatMap((hint) => complaintsOfHint(hint, links)),
          ...(hints.length === 0 ? ['no hint file exists'] : hints.map(({ path, text }) => `${path}: ${text.trim()}`)),
        );
      }),
  },
  {
    id: 'disk',
    title: 'room for the journal',
    judge: ({ files }) =>
      given(files, ({ disks }) =>
        verdictOf(
          disks.flatMap(complaintsOfDisk),
          ...disks.map((disk) => `${disk.path}: ${mebibytes(disk.freeBytes)} free on ${disk.mountPoint}`),
        ),
      ),
  },
  {
    id: 'journal',
    title: 'no transaction is unfinished',
    judge: ({ files }) =>
      given(files, ({ journals: { open, unusable, last, running } }) => {
        if (running !== null) return ok(`a run is in progress: ${running}`);
        return verdictOf(
          [
            ...open.map((transaction) => {
              const what = `transaction ${transaction.id} (${transaction.command})`;
              if (transaction.state === 'awaiting-confirm' && transaction.ofThisBoot) {
                const until = `${what} waits to be confirmed until ${transaction.confirmUntil}`;
                return warning(until, 'microshift-net confirm', 'microshift-net undo # or this, to take it back');
              }
              const why = transaction.ofThisBoot ? 'was interrupted by a crash' : 'was cut short by a reboot';
              return failed(`${what} ${why}`, 'microshift-net apply # it ends that first');
            }),
            ...unusable.map(({ path, why }) =>
              warning(`${path} is not a usable journal: ${why}`, `rm ${shellWord(path)}`),
            ),
            last?.state === 'not-restored' &&
              failed(
                `the last transaction ${last.id} failed and could not be rolled back: ${last.detail ?? ''}`,
                `microshift-net history ${last.id}`,
                'microshift-net disable && microshift-net apply',
              ),
            last?.state === 'rolled-back' &&
              warning(
                `the last transaction ${last.id} failed and was rolled back: ${last.detail ?? ''}`,
                'microshift-net apply # once the cause is fixed',
              ),
          ],
          last === null ? 'no transaction has been run' : `the last one, ${last.id}, is ${last.state}`,
        );
      }),
  },
  {
    id: 'examination',
    title: 'everything could be looked at',
    judge: (examination) => {
      // The list leaves out the parts of the examination for which another check reports that their facts could not be
      // read.
      const parts = ['system', 'network', 'tuning', 'units', 'firewall', 'packetFilter', 'files'] as const;
      const silent = parts.map((part) => {
        const { failure } = examination[part];
        return failure !== null && warning(`${part}: ${failure.message}`, advice(failure.hint));
      });
      return verdictOf(silent, 'every part answered in time');
    },
  },
];

function complaintsOfHint(hint: HintFileFacts, links: readonly string[] | null): readonly Finding[] {
  const { path, text } = hint;
  if (hint.notAFile !== null) return [failed(`${path} is ${hint.notAFile}, not a file`, `rm -r ${path}`)];
  const first = hintIn(text);
  const complaints: Finding[] = [];
  if (hint.ownerId !== 0 || (hint.mode & 0o022) !== 0) {
    const mode = hint.mode.toString(8);
    const found = `${path} can be changed by others than root (owner ${hint.ownerId}, mode ${mode}), who could so choose the uplink`;
    complaints.push(warning(found, `chown root:root ${path} && chmod 0644 ${path}`));
  }
  if (first === null) return [...complaints, warning(`${path} is empty, as if it were not there`, `rm ${path}`)];
  if (/\n.*\S/.test(text.trimStart()))
    complaints.push(
      warning(`${path} has more than one line; only the first counts`, `echo ${shellWord(first)} > ${path}`),
    );
  if (hint.is === 'address') {
    if (familyOf(first) === null)
      complaints.push(warning(`${path} has no address: ${quotedName(first)}`, `rm ${path}`));
  } else if (/[\s/:]/.test(first) || Buffer.byteLength(first) > 15)
    complaints.push(failed(`${path} has no name of an interface: ${quotedName(first)}`, `rm ${path}`));
  else if (links !== null && !links.includes(first)) {
    // The agent itself writes the last NIC to the hint file below /var. The other hint files are settings of an
    // administrator.
    const complain = path.startsWith('/var/') ? warning : failed;
    const names = links.filter((name) => !/^(lo|ovs-system|ovs-netdev|br-.*)$/.test(name)).join(', ');
    complaints.push(
      complain(`${path} names ${shownName(first)}, which does not exist`, `rm ${path} # or name one of: ${names}`),
    );
  }
  return complaints;
}

function complaintsOfDisk(disk: DiskFacts): readonly (Finding | false)[] {
  const { path, mountPoint, readOnly, freeBytes, freeFiles } = disk;
  if (readOnly) return [failed(`${path} is on ${mountPoint}, which is read-only`, `mount -o remount,rw ${mountPoint}`)];
  const room = freeBytes < scarceBytes ? `${mebibytes(freeBytes)} free` : null;
  const few = freeFiles !== null && freeFiles < scarceFiles ? `room for ${freeFiles} files` : null;
  const complain = freeBytes < noneBytes || freeFiles === 0 ? failed : warning;
  const fix = `du -xh ${mountPoint} | sort -h | tail # make room`;
  return [room, few].map(
    (left) => left !== null && complain(`${path} is on ${mountPoint}, which has only ${left}`, fix),
  );
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / (1024 * 1024))} MiB`;
}
