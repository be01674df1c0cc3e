// Generates a TypeScript module with the parsed YAML and the scripts of config/manifests. The program needs no file at run time, so that it works the
// same from build/, from the bundle and on a node. Every build runs this script; its output is not in git.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { loadAll } from 'js-yaml';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'config', 'manifests');
const target = join(root, 'agent', 'manifests', 'templates.generated.ts');

const filesOf = (name, ending) =>
  readdirSync(join(folder, name))
    .filter((file) => file.endsWith(ending))
    .sort();
const text = (...path) => readFileSync(join(folder, ...path), 'utf8');

// The table of flavours, without its types.
const { code } = transformSync(readFileSync(join(root, 'agent', 'model', 'manifest-flavors.ts'), 'utf8'), {
  loader: 'ts',
});
const { flavorTraits } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

const templates = {};
for (const name of ['common', ...new Set(Object.values(flavorTraits).map(({ folder }) => folder))]) {
  for (const file of filesOf(name, '.yaml'))
    templates[`${name}/${file.slice(0, -'.yaml'.length)}`] = loadAll(text(name, file));
}
const scripts = Object.fromEntries(filesOf('scripts', '.sh').map((file) => [file, text('scripts', file)]));

const generated = `// Made by config/generate-manifests.mjs from config/manifests; not edited by hand.
import type { KubernetesObject } from '../model/kubernetes/object.ts';

/** The parsed templates by folder and file name. */
export const templates: Readonly<Record<string, readonly KubernetesObject[]>> = ${JSON.stringify(templates, null, 2)};

/** The containers' scripts by file name. */
export const scripts: Readonly<Record<string, string>> = ${JSON.stringify(scripts, null, 2)};
`;

writeFileSync(target, generated);
