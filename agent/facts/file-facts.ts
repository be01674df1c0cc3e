import { existsSync, lstatSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { readSmallFile } from '../drivers/host/files/files.ts';
import { fileText, namesIn } from '../drivers/host/files/kernel-files.ts';
import type { DiskFacts, FileFacts, HintFileFacts, JournalFacts } from '../model/examination.ts';
import { kindOf } from '../regular-file.ts';
import { addedBridgesPath, hintedNicPath, hintFiles } from './hints.ts';

/** Returns facts about the files and disks that a run reads and writes. */
export function readFiles(journals: JournalFacts): FileFacts {
  const mounts = readMounts();
  const added = readSmallFile(addedBridgesPath);
  return {
    hints: Object.values(hintFiles).flatMap(({ path, is }) => readHint(path, is)),
    hintedNic: readSmallFile(hintedNicPath),
    ...(added === null ? {} : { addedBridges: added }),
    disks: ['/var/lib/microshift-net', '/run/microshift-net', '/var/lib/ovnk'].map((path) => readDisk(path, mounts)),
    leftovers: leftovers(),
    journals,
  };
}

function readHint(path: string, is: HintFileFacts['is']): HintFileFacts[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  const facts = { path, is, ownerId: stats.uid, mode: stats.mode & 0o7777 };
  if (!stats.isFile()) return [{ ...facts, notAFile: kindOf(stats), text: '' }];
  return [{ ...facts, notAFile: null, text: readSmallFile(path) ?? '' }];
}

/**
 * Returns the paths of unfinished profile files. NetworkManager writes `NAME.nmconnection.XXXXXX` and then renames it.
 * An interrupted write leaves the temporary file, which some versions of NetworkManager read as a profile.
 */
function leftovers(): readonly string[] {
  const directories = ['/etc/NetworkManager/system-connections', '/run/NetworkManager/system-connections'];
  return directories.flatMap((directory) =>
    namesIn(directory)
      .filter((name) => /\.nmconnection\.\w{6}$/.test(name))
      .map((name) => `${directory}/${name}`),
  );
}

interface Mount {
  readonly point: string;
  readonly readOnly: boolean;
}

/**
 * Reads the mounts from /proc/self/mountinfo. In each line, field 5 is the mount point; field 6 and the last field are
 * the options of the mount (proc_pid_mountinfo(5)).
 */
function readMounts(): readonly Mount[] {
  return (fileText('/proc/self/mountinfo') ?? '').split('\n').map((line) => {
    const words = line.split(' ');
    const options = [...(words[5] ?? '').split(','), ...(words.at(-1) ?? '').split(',')];
    const point = (words[4] ?? '').replaceAll(/\\(\d{3})/g, (_, octal) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    return { point, readOnly: options.includes('ro') };
  });
}

function readDisk(path: string, mounts: readonly Mount[]): DiskFacts {
  let present = path;
  while (!existsSync(present) && present !== '/') present = dirname(present);
  const under = ({ point }: Mount): boolean => point === '/' || present === point || present.startsWith(`${point}/`);
  // The last mount at a mount point counts, because it hides the earlier ones.
  const mount = mounts
    .filter(under)
    .toSorted((a, b) => a.point.length - b.point.length)
    .at(-1);
  const { bavail, bsize, files, ffree } = statfsSync(present);
  return {
    path,
    mountPoint: mount?.point ?? '/',
    readOnly: mount?.readOnly ?? false,
    freeBytes: bavail * bsize,
    // A total number of 0 files means that the file system does not report numbers of files.
    freeFiles: files === 0 ? null : ffree,
  };
}
