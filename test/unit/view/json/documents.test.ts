// The contract of `--output json`: every command has a golden document, which matches its schema. UPDATE_CASES=1 writes
// the goldens.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { planDocument } from '../../../../agent/view/json/plan-json.ts';
import { previewDocument, runDocument } from '../../../../agent/view/json/run-json.ts';
import { equalsGolden } from '../../golden-file.ts';
import { caseNames, decisionOfCase, readCase } from '../../plan/cases.ts';
import { readableJson } from '../../plan/change.ts';
import { clusterSamples } from './cluster-samples.ts';
import { nodeSamples } from './samples.ts';
import { schemaFaults, schemas } from './schemas.ts';

const folder = 'test/cases/json';
const samples = { ...nodeSamples, ...clusterSamples };
const schemaOf = (name: string): string => name.replace(/\..*/, '');

/** Words that only programmers know, and D-Bus paths. */
const internal = /org\/freedesktop|"(?:do|kind)": "(?:writeProfiles|attachUplink|clearUplink|pinThreads|changeKernel)"/;

for (const [name, document] of Object.entries(samples)) {
  t.test(name, (t) => {
    const text = `${readableJson(JSON.parse(JSON.stringify(document)))}\n`;
    equalsGolden(t, join(folder, `${name}.json`), text);
    t.equal(schemaFaults(schemaOf(name), document), null);
    t.notMatch(text, internal);
    const [first, second] = Object.keys(document);
    t.strictSame([first, second], ['command', 'outcome'], 'the document begins with command and outcome');
    if (schemaOf(name) !== 'error') t.equal(document.command?.replaceAll(' ', '-'), schemaOf(name));
    t.end();
  });
}

t.test('every schema has a golden, and every golden a document', (t) => {
  const named = new Set(Object.keys(samples).map(schemaOf));
  t.strictSame([...named].toSorted(), Object.keys(schemas).toSorted());
  t.strictSame(
    readdirSync(folder).toSorted(),
    Object.keys(samples)
      .map((name) => `${name}.json`)
      .toSorted(),
  );
  t.end();
});

t.test('docs/use/json.md has every command with its outcomes', (t) => {
  const page = readFileSync('docs/use/json.md', 'utf8');
  const rows = [...page.matchAll(/^\| `([\w -]+)` \| (`[^|]+`) \|/gm)].map(([, name, outcomes]) => [name, outcomes]);
  const documents = Object.entries(schemas).filter(([name]) => name !== 'error');
  const wanted = documents.map(([, schema]) => [commandOf(schema), outcomesOf(schema).join(', ')]);
  t.strictSame(rows.toSorted(), wanted.toSorted());
  const shown = /json aply\n((?: {4}.*\n)+)/.exec(page)?.[1] ?? '';
  t.strictSame(JSON.parse(shown), nodeSamples['error.usage']);
  t.end();
});

interface Shape {
  readonly properties: Readonly<Record<string, { readonly const?: string; readonly enum?: readonly string[] }>>;
}

/** Returns the alternatives in a document's schema. */
function shapesOf(schema: object): readonly Shape[] {
  const { anyOf, definitions } = schema as Shape & {
    readonly anyOf?: readonly { readonly $ref: string }[];
    readonly definitions: Readonly<Record<string, Shape>>;
  };
  return anyOf?.flatMap(({ $ref }) => definitions[$ref.replace('#/definitions/', '')] ?? []) ?? [schema as Shape];
}

function commandOf(schema: object): string {
  return shapesOf(schema)[0]?.properties.command?.const ?? '';
}

function outcomesOf(schema: object): readonly string[] {
  const all = shapesOf(schema).flatMap(({ properties: { outcome } }) => outcome?.enum ?? outcome?.const ?? []);
  return [...new Set(all)].map((word) => `\`${word}\``);
}

t.test('a schema allows no other key and no other outcome', (t) => {
  const { confirm } = nodeSamples;
  t.equal(
    schemaFaults('confirm', { ...confirm, diagnostics: { observation: {} } }),
    null,
    'the schema allows the diagnostics of --verbose',
  );
  t.match(schemaFaults('confirm', { ...confirm, path: '/' }), /additional properties/);
  t.match(schemaFaults('confirm', { ...confirm, outcome: 'kept' }), /outcome/);
  t.match(schemaFaults('confirm', { command: 'confirm', outcome: 'confirmed' }), /transaction/);
  t.end();
});

t.test('the documents of every recorded node match their schemas', (t) => {
  for (const name of caseNames()) {
    const found = readCase(name);
    const decision = (() => {
      try {
        return decisionOfCase(found);
      } catch {
        return null;
      }
    })();
    if (decision?.kind !== 'planned') continue;
    const { plan } = decision;
    const { observation } = found;
    const noTuning = { steps: [], differences: [], notes: [] };
    const planned = planDocument(plan, noTuning, observation, null, []);
    t.equal(schemaFaults('plan', planned), null, name);
    t.notMatch(JSON.stringify(planned), internal, name);
    const run = runDocument('apply', { plan, observation, tuning: noTuning, transaction: null });
    t.equal(schemaFaults('apply', run), null, name);
    t.equal(schemaFaults('disable', previewDocument('disable', { plan, tuning: noTuning, observation })), null, name);
  }
  t.end();
});
