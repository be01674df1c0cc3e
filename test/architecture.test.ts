// Rules about the imports between the parts of the agent, and about the names of files.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { packageOf, resolved, sources } from './architecture/agent-sources.ts';
import { homes, type Layer, layers } from './architecture/import-table.ts';

t.test('every import is allowed', (t) => {
  for (const source of sources) {
    const name = layerOf(source.file);
    const layer = layers[name];
    if (layer === undefined) {
      t.fail(`agent/${name} is in no layer: add it to the table`);
      continue;
    }
    for (const { from } of source.imports) {
      const target = from.startsWith('.') ? layerOf(resolved(source.file, from)) : packageOf(from);
      // Other layers treat plan/ and its folders as one layer, and run/ and its folders as another.
      const [folder = ''] = target.split('/');
      const asked = ['plan', 'run'].includes(folder) && !name.startsWith(folder) ? folder : target;
      const allowed = target === name || [...layer.may, ...(layer.packages ?? [])].includes(asked);
      if (!allowed) t.fail(`${source.file} imports ${target}: ${reason(layer, target)}`);
    }
  }
  t.ok(sources.length > 50, 'the sources of the agent were found');
  t.end();
});

t.test('the table of layers names only layers, and forbids no allowed import', (t) => {
  for (const [name, layer] of Object.entries(layers)) {
    for (const target of Object.keys(layer.never ?? {}))
      t.notOk(
        [...layer.may, ...(layer.packages ?? [])].includes(target),
        `${name} → ${target} is allowed and forbidden`,
      );
    for (const target of layer.may) t.ok(target in layers, `${name} → ${target}: the layer exists`);
  }
  t.end();
});

t.test('every package is imported in one place only', (t) => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };
  t.strictSame(Object.keys(homes).toSorted(), Object.keys(dependencies).toSorted(), 'each dependency is in the table');
  for (const source of sources) {
    for (const { from } of source.imports) {
      const home = homes[packageOf(from)];
      if (home !== undefined && !home.test(source.file)) t.fail(`${source.file} imports ${from}, which is for ${home}`);
    }
  }
  t.end();
});

t.test('no files import one another in a circle', (t) => {
  const graph = new Map(
    sources.map((source) => [
      source.file,
      source.imports.filter((entry) => entry.from.startsWith('.')).map((entry) => resolved(source.file, entry.from)),
    ]),
  );
  t.strictSame(findCycle(graph), null);
  t.end();
});

t.test('in no folder do its files and folders import one another in a circle', (t) => {
  // The imports between the entries of a folder must form no cycle: `a -> b/c.ts` together with `b/d.ts -> a` would be
  // a cycle of a and b.
  for (const [folder, graph] of floors()) t.strictSame(findCycle(graph), null, folder);
  t.end();
});

t.test('the name of a file of agent/, and of a test, occurs once', (t) => {
  const tests = readdirSync('test', { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.test.ts'));
  for (const files of [sources.map(({ file }) => file), tests]) {
    const names = files.map((file) => path.basename(file));
    t.not(names.length, 0);
    t.strictSame(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    );
  }
  t.end();
});

t.test('a run with nothing to do loads neither the transaction nor slow modules of Node.js', (t) => {
  const loaded = loadedBy('commands/apply-command.ts');
  const planning = ['plan/make-plan.ts', 'run/reconcile.ts', 'drivers/dbus/bus-connection.ts', 'node:net'];
  for (const file of planning) t.ok(loaded.has(file), file);
  const changing = [
    'change.ts',
    'rollback/recover.ts',
    'rollback/restore-state.ts',
    'rollback/roll-back.ts',
    'steps/execute-step.ts',
    'transaction.ts',
  ];
  const slow = ['child_process', 'crypto', 'fs/promises', 'http', 'https', 'tls'];
  for (const file of [...changing.map((name) => `run/${name}`), ...slow.map((name) => `node:${name}`)])
    t.notOk(loaded.has(file), `${file} is loaded only when it is used`);
  t.end();
});

/** Returns the files of agent/, the packages and the modules of Node.js that are loaded when a file is imported. */
function loadedBy(first: string): ReadonlySet<string> {
  const loaded = new Set([first]);
  for (const file of loaded) {
    const imports = sources.find((source) => source.file === file)?.imports ?? [];
    for (const { from, typeOnly } of imports)
      if (!typeOnly) loaded.add(from.startsWith('.') ? resolved(file, from) : from);
  }
  return loaded;
}

/** Returns the folder of a file (`plan`, `drivers/dbus`); the file itself if it is directly in agent/. */
function layerOf(file: string): string {
  const parts = file.split('/');
  if (parts.length === 1) return file;
  const hasRooms = parts[0] === 'plan' || parts[0] === 'run';
  const isRoom = parts[0] === 'drivers' || (hasRooms && parts.length > 2);
  return isRoom ? parts.slice(0, 2).join('/') : (parts[0] ?? '');
}

/** Returns the imports between the files and folders of each folder of agent/, by folder, dynamic imports included. */
function floors(): ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> {
  const graphs = new Map<string, Map<string, string[]>>();
  for (const { file, imports } of sources) {
    for (const { from } of imports.filter((entry) => entry.from.startsWith('.'))) {
      const [here, there] = [file.split('/'), resolved(file, from).split('/')];
      const depth = here.findIndex((part, index) => part !== there[index]);
      const folder = here.slice(0, depth).join('/');
      const graph = graphs.get(folder) ?? new Map<string, string[]>();
      graphs.set(folder, graph);
      const name = here[depth] ?? '';
      graph.set(name, [...(graph.get(name) ?? []), there[depth] ?? '']);
    }
  }
  return graphs;
}

function reason(layer: Layer, target: string): string {
  const [, why] =
    Object.entries(layer.never ?? {}).find(([name]) => name === target || target.startsWith(`${name}/`)) ?? [];
  return why ?? layer.because;
}

function findCycle(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): readonly string[] | null => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next, [...way, file]);
      if (cycle !== null) return cycle;
    }
    done.add(file);
    return null;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle !== null) return cycle;
  }
  return null;
}
