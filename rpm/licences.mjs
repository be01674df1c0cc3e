// Lists the modules in the bundle from the bundler's metafile: writes their licence texts to a folder and prints a Provides line for each, as
// Fedora's packaging guidelines for Node.js require. Fails for a licence that the spec's License field does not name.
//   node rpm/licences.mjs FOLDER
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = process.argv[2] ?? 'build/licences';
const named = /^License:\s+(.*)$/m.exec(readFileSync('rpm/microshift-net.spec', 'utf8'))?.[1].split(' AND ') ?? [];
mkdirSync(folder, { recursive: true });

const directories = new Set(
  JSON.parse(readFileSync('build/bundled-inputs.json', 'utf8'))
    .filter((file) => file.includes('node_modules/'))
    .map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)[1]),
);
const lines = [];
const found = new Set(['Apache-2.0']);
for (const directory of [...directories].sort()) {
  const { name, version, ...about } = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'));
  const text = readdirSync(directory).find((file) => /^licen[cs]e/i.test(file));
  const license = licenceOf(about) ?? licenceIn(text && readFileSync(path.join(directory, text), 'utf8'));
  found.add(license);
  if (!named.includes(license)) throw new Error(`${name} ${version} is under ${license}, which the spec does not name`);
  lines.push(`Provides: bundled(nodejs-${name}) = ${version}`);
  const target = path.join(folder, `${name.replaceAll('/', '-').replace('@', '')}-${version}.txt`);
  if (text !== undefined) copyFileSync(path.join(directory, text), target);
  // For a module without the text of its licence, the file contains only the name of the licence.
  else writeFileSync(target, `${name} ${version}: ${license} (package.json; the module has no file with the text)\n`);
}
const unused = named.filter((license) => !found.has(license));
if (unused.length > 0) throw new Error(`the spec names ${unused.join(', ')}, and nothing is under it`);
if (!existsSync(folder) || lines.length === 0) throw new Error('nothing is bundled: run npm run build first');

process.stdout.write(`${lines.join('\n')}\n`);

/** Returns the SPDX identifier of a package's licence; older packages have an object or a list of objects, with other names. */
function licenceOf({ license, licenses }) {
  const stated = license ?? licenses?.[0];
  const identifier = typeof stated === 'object' ? stated.type : stated;
  return identifier === 'MIT/X11' ? 'MIT' : identifier;
}

function licenceIn(text = '') {
  return /Apache License\s+Version 2\.0/.test(text) ? 'Apache-2.0' : undefined;
}
