// Generates the type of all documents of `--output json` from the exported types of agent/view/json. Every build runs this script; its output is not
// in git.
import { writeFileSync } from 'node:fs';
import { documentFolder, documentTypes } from './json-schemas.mjs';

// Document that a failed command prints in place of its own.
const ofFailures = 'ErrorDocument';

const types = documentTypes().filter(({ name }) => name !== ofFailures);
const files = [...new Set(types.map(({ file }) => file))];
const namesIn = (file) => types.filter((type) => type.file === file).map(({ name }) => name);

const generated = `// Made by config/generate-documents.mjs from agent/view/json; not edited by hand.
${files.map((file) => `import type { ${namesIn(file).join(', ')} } from './${file}';`).join('\n')}

/** Document that a command prints with \`--output json\` if it has not failed. */
export type CommandDocument =
${types.map(({ name }) => `  | ${name}`).join('\n')};
`;

writeFileSync(new URL('command-document.generated.ts', documentFolder), generated);
