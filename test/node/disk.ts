// Writes into a node's disk from outside, before a boot. An absolute symbolic link in it (/var/run, unit aliases) would
// lead into this machine's own files, so every path is walked with the node's root as "/".
import fs from 'node:fs';
import path from 'node:path';

const linkLimit = 40;

/** Where a path of the node is on this machine; links are followed inside the node, the last component is not. */
export function insideDisk(root: string, file: string): string {
  const ahead = file.split('/').filter(Boolean);
  let done: string[] = [];
  let links = 0;
  for (let part = ahead.shift(); part !== undefined; part = ahead.shift()) {
    if (part === '.') continue;
    if (part === '..') {
      done.pop();
      continue;
    }
    const target = ahead.length > 0 ? linkTarget(path.join(root, ...done, part)) : undefined;
    if (target === undefined) {
      done.push(part);
      continue;
    }
    links += 1;
    if (links > linkLimit) throw new Error(`test node: too many links in ${file}`);
    if (target.startsWith('/')) done = [];
    ahead.unshift(...target.split('/').filter(Boolean));
  }
  return path.join(root, ...done);
}

function linkTarget(file: string): string | undefined {
  const isLink = fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink ? fs.readlinkSync(file) : undefined;
}

/** A place for a new file of the node: its folder exists, and nothing is in the way. */
function cleared(root: string, file: string): string {
  const place = insideDisk(root, file);
  fs.mkdirSync(path.dirname(place), { recursive: true });
  fs.rmSync(place, { force: true });
  return place;
}

/** Executable when the text begins with "#!". */
export const modeOf = (text: string): number => (text.startsWith('#!') ? 0o755 : 0o644);

export function writeToDisk(root: string, file: string, text: string): void {
  fs.writeFileSync(cleared(root, file), text, { mode: modeOf(text) });
}

export function linkOnDisk(root: string, file: string, target: string): void {
  fs.symlinkSync(target, cleared(root, file));
}

/** Copies a file, or a folder with all in it, of this machine into the node. */
export function copyToDisk(root: string, file: string, from: string): void {
  if (!fs.statSync(from).isDirectory()) {
    fs.copyFileSync(from, cleared(root, file));
    return;
  }
  fs.mkdirSync(insideDisk(root, `${file}/.`), { recursive: true });
  for (const name of fs.readdirSync(from)) copyToDisk(root, path.join(file, name), path.join(from, name));
}
