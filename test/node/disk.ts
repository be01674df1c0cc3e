// Writes to the disk of a node from outside, before a boot. An absolute symbolic link on the disk (/var/run, aliases of
// units) would lead to files of this machine, so every path is resolved with the node's root as "/".
import fs from 'node:fs';
import path from 'node:path';

const linkLimit = 40;

/**
 * Returns the path on this machine of a path of the node. Links are followed inside of the node, except in the last
 * component.
 */
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

/** Prepares the path of a new file of the node: creates its folder, and removes an existing file. */
function cleared(root: string, file: string): string {
  const place = insideDisk(root, file);
  fs.mkdirSync(path.dirname(place), { recursive: true });
  fs.rmSync(place, { force: true });
  return place;
}

/** Returns the mode of a file with this text: executable if the text begins with "#!". */
export const modeOf = (text: string): number => (text.startsWith('#!') ? 0o755 : 0o644);

export function writeToDisk(root: string, file: string, text: string): void {
  fs.writeFileSync(cleared(root, file), text, { mode: modeOf(text) });
}

export function linkOnDisk(root: string, file: string, target: string): void {
  fs.symlinkSync(target, cleared(root, file));
}

/** Copies a file, or a folder with its content, from this machine to the node. */
export function copyToDisk(root: string, file: string, from: string): void {
  if (!fs.statSync(from).isDirectory()) {
    fs.copyFileSync(from, cleared(root, file));
    return;
  }
  fs.mkdirSync(insideDisk(root, `${file}/.`), { recursive: true });
  for (const name of fs.readdirSync(from)) copyToDisk(root, path.join(file, name), path.join(from, name));
}
