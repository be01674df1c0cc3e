import { fileText, namesIn } from '../files/kernel-files.ts';

const directory = '/sys/class/net';

/** Returns true if a link of this name exists. */
export function hasLink(name: string): boolean {
  return namesIn(directory).includes(name);
}

/** Returns the names of the links with this alias (ip-link(8)). */
export function linksWithAlias(alias: string): readonly string[] {
  return namesIn(directory).filter((name) => fileText(`${directory}/${name}/ifalias`) === alias);
}
