// Rules about the parts of the agent: the imports that each part may have, the length of files, and texts that no file
// may contain.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import t from 'tap';

const maxLines = 240;

interface Layer {
  /** Folders and files of agent/ that the layer may import. */
  readonly may: readonly string[];
  /** Packages and parts of Node.js that the layer may import. */
  readonly packages?: readonly string[];
  /** Reason why the layer may import nothing else. */
  readonly because: string;
  /** Forbidden imports that seem useful, each with the reason. */
  readonly never?: Readonly<Record<string, string>>;
}

const driversKnowNoPlans = 'a driver offers what the outside world can do and knows nothing of why it is asked';
const driversApart = 'each driver can be replaced without reading another one';
const pure = 'it computes from plain values: the same facts always give the same answer';

/** Imports that are not listed are forbidden. Each file directly in agent/ is a separate layer. */
const layers: Readonly<Record<string, Layer>> = {
  'main.ts': {
    may: ['cli'],
    because: 'the process edge does nothing but start the command line and end the process',
  },
  cli: {
    may: ['commands', 'errors.ts', 'model', 'printable.ts', 'version.ts'],
    packages: ['commander', 'node:fs'],
    because: 'the command line parses words and loads the command that was chosen',
    never: {
      run: '`--help` must not load what it does not use; commands/ does that',
      config: 'commands read it',
    },
  },
  commands: {
    may: [
      'compare',
      'config',
      'doctor',
      'drivers/firewalld',
      'drivers/host',
      'drivers/kubernetes',
      'errors.ts',
      'failures.ts',
      'facts',
      'manifests',
      'mask.ts',
      'model',
      'plan',
      'run',
      'support',
      'version.ts',
      'view',
    ],
    // The command `overlay run` sets an option of V8's garbage collector.
    packages: ['node:fs', 'node:path', 'node:v8'],
    because: 'a command parses its flags, calls the stages and prints',
    never: {
      cli: 'the command tree loads commands, not the other way round',
      'drivers/networkmanager': 'only a run changes the node',
      'drivers/dbus': 'nodes are opened by run/',
      'drivers/ovsdb': 'nodes are opened by run/',
    },
  },
  run: {
    may: [
      'compare',
      'config',
      'deadline.ts',
      'drivers/dbus',
      'drivers/host',
      'drivers/networkmanager',
      'drivers/openvswitch',
      'drivers/systemd',
      'errors.ts',
      'failures.ts',
      'facts',
      'model',
      'net',
      'plan',
      'printable.ts',
      'run/journal',
      'run/rollback',
      'run/steps',
      'version.ts',
    ],
    packages: ['node:fs'],
    because: 'it is one run from the lock to the record',
    never: { view: 'it reports events; commands turn them into text', commands: 'commands call it' },
  },
  'run/steps': {
    may: [
      'deadline.ts',
      'drivers/dbus',
      'drivers/host',
      'drivers/networkmanager',
      'drivers/openvswitch',
      'drivers/systemd',
      'errors.ts',
      'model',
      'net',
    ],
    because: 'it runs steps as they are planned',
    never: { plan: 'a step has all its arguments', facts: 'a step does not decide' },
  },
  'run/journal': {
    may: [
      'deadline.ts',
      'drivers/host',
      'drivers/networkmanager',
      'errors.ts',
      'facts',
      'failures.ts',
      'model',
      'plan',
      'run',
      'version.ts',
    ],
    packages: ['node:fs'],
    because: 'it writes and reads the records of runs',
    never: { 'run/rollback': 'a record says what to roll back' },
  },
  'run/rollback': {
    may: [
      'deadline.ts',
      'drivers/dbus',
      'drivers/host',
      'drivers/networkmanager',
      'drivers/openvswitch',
      'errors.ts',
      'failures.ts',
      'model',
      'plan',
      'run',
      'run/journal',
      'run/steps',
    ],
    because: 'it returns the node to the state before a transaction',
    never: { facts: 'a run observes the node; the observation is handed in' },
  },
  'run/manifests': {
    may: ['drivers/kubernetes', 'errors.ts', 'manifests', 'model'],
    because: 'it brings the objects of a cluster to what was rendered',
    never: { 'drivers/host': 'it uses the API of a cluster, from any machine' },
  },
  'run/examination': {
    may: [
      'config',
      'drivers/host',
      'drivers/ovn',
      'errors.ts',
      'facts',
      'model',
      'overlay',
      'run',
      'run/journal',
      'run/overlay',
    ],
    because: 'it reads every part of the node on its own, so that the failure of one does not hide the others',
    never: { doctor: 'it collects; doctor/ judges' },
  },
  'run/overlay': {
    may: [
      'cni',
      'config',
      'deadline.ts',
      'drivers/host',
      'drivers/kubernetes',
      'drivers/openssl',
      'drivers/openvswitch',
      'drivers/ovn',
      'drivers/systemd',
      'errors.ts',
      'failures.ts',
      'facts',
      'model',
      'net',
      'overlay',
      'run',
      'slices.ts',
      'trace',
      'workload',
    ],
    packages: ['node:fs', 'node:net', 'node:path', 'node:timers'],
    because: 'it brings rows, certificates and daemons of an overlay to what was planned',
    never: { 'drivers/networkmanager': 'the overlay has no NIC of its own', plan: 'a bridge is built by another run' },
  },
  facts: {
    may: [
      'config',
      'drivers/dbus',
      'drivers/firewalld',
      'drivers/host',
      'drivers/kubernetes',
      'drivers/networkmanager',
      'drivers/openssl',
      'drivers/openvswitch',
      'errors.ts',
      'failures.ts',
      'manifests',
      'model',
      'plan',
      'printable.ts',
      'regular-file.ts',
      'version.ts',
    ],
    packages: ['node:fs', 'node:os', 'node:path'],
    because: 'it reads the node',
    never: { doctor: 'it collects; doctor/ judges', run: 'looking changes nothing' },
  },
  doctor: {
    may: ['compare', 'config', 'errors.ts', 'facts', 'model', 'net', 'plan', 'printable.ts'],
    because: 'it judges the facts that it is handed, and projects the observation of them as `apply` does',
    never: { drivers: 'an examination is handed in', 'node:fs': pure },
  },
  support: {
    may: ['drivers/host', 'errors.ts', 'mask.ts', 'model'],
    packages: ['node:fs', 'node:path'],
    because: 'it copies what is there, and masks it; what the agent itself says of the node is handed in',
    never: { commands: 'commands call it', view: 'commands turn reports into text' },
  },
  plan: {
    may: ['compare', 'errors.ts', 'model', 'net', 'plan/bridge', 'plan/profiles', 'plan/uplink', 'printable.ts'],
    packages: ['node:net'],
    because: pure,
    never: {
      drivers: 'a plan is made from an observation',
      run: 'data flows one way: plan → run',
      'node:fs': pure,
    },
  },
  'plan/uplink': {
    may: ['errors.ts', 'model', 'net', 'printable.ts'],
    packages: ['node:net'],
    because: 'which device carries a bridge is chosen before anything is made of it',
    never: { 'plan/profiles': 'what the bridge gets follows from its uplink' },
  },
  'plan/profiles': {
    may: ['errors.ts', 'model', 'net', 'plan/uplink', 'printable.ts'],
    packages: ['node:net'],
    because: 'what a bridge gets follows from its uplink and the configuration',
    never: { 'plan/bridge': 'how the node comes to have it is another question' },
  },
  'plan/bridge': {
    may: ['compare', 'errors.ts', 'model', 'net', 'plan', 'plan/profiles', 'plan/uplink', 'printable.ts'],
    packages: ['node:net'],
    because: 'steps lead from what is there to the profiles that are wanted, and back',
  },
  'plan/tuning': {
    may: ['errors.ts', 'model', 'net'],
    packages: ['node:net'],
    because: 'tuning of Open vSwitch and the firewall does not depend on the program that configures the network',
    never: { 'plan/uplink': 'tuning does not depend on it' },
  },
  compare: {
    may: ['model', 'net', 'printable.ts'],
    packages: ['node:util'],
    because: pure,
    never: { plan: 'the plan asks for the comparison', 'node:fs': pure },
  },
  view: {
    may: ['compare', 'errors.ts', 'failures.ts', 'model', 'net', 'plan', 'printable.ts'],
    packages: ['node:util'],
    because: 'a view turns a value into text',
    never: {
      drivers: 'what is shown was observed before',
      config: 'the model has the types',
      run: 'it reports events',
    },
  },
  config: {
    may: ['errors.ts', 'model', 'net', 'printable.ts', 'regular-file.ts'],
    packages: ['js-yaml', 'node:buffer', 'node:fs'],
    because: 'the configuration is read before anything else is known',
    never: { view: 'commands print it', facts: 'what the files say does not depend on the node' },
  },
  manifests: {
    may: ['errors.ts', 'mask.ts', 'model', 'net'],
    packages: ['node:crypto', 'node:util'],
    because: 'rendering works without a cluster and without a node',
    never: { 'drivers/kubernetes': 'the driver sends what was rendered', config: 'the effective values are handed in' },
  },
  overlay: {
    may: ['errors.ts', 'model', 'net', 'printable.ts'],
    because: pure,
    never: {
      'drivers/ovsdb': 'rows are handed in, and operations handed out, as plain JSON',
      config: 'facts are handed in',
    },
  },
  cni: {
    may: ['model', 'net', 'workload'],
    because: pure,
    never: {
      'drivers/openvswitch': 'rows are handed in, and handed out, as plain values',
      'drivers/host': 'it says which links and addresses; the shim makes them',
    },
  },
  workload: {
    may: ['errors.ts', 'model', 'net', 'overlay', 'printable.ts'],
    packages: ['node:crypto'],
    because: pure,
    never: {
      'drivers/kubernetes': 'objects are handed in as plain values',
      'drivers/ovn': 'rows are handed in, and changes handed out, as plain values',
    },
  },
  trace: {
    may: ['errors.ts', 'model', 'net', 'overlay'],
    because: pure,
    never: {
      'drivers/ovn': 'rows and what programs print are handed in',
      view: 'it says what happens as data; a view makes sentences of it',
    },
  },
  'drivers/dbus': {
    may: ['errors.ts', 'model'],
    packages: ['dbus-next', 'node:net'],
    because: driversKnowNoPlans,
    never: { 'drivers/networkmanager': 'the bus does not know who is on it' },
  },
  'drivers/networkmanager': {
    may: ['deadline.ts', 'drivers/dbus', 'errors.ts', 'model'],
    packages: ['node:os'],
    because: driversKnowNoPlans,
    never: { 'drivers/openvswitch': driversApart, 'dbus-next': 'drivers/dbus wraps what bites in it' },
  },
  'drivers/ovsdb': {
    may: ['slices.ts'],
    packages: ['node:events', 'node:fs', 'node:net', 'node:tls'],
    because: 'it is written as if it were a package: it drives other databases too',
    never: { 'errors.ts': 'it has its own errors; drivers/openvswitch names them', model: 'it is a general client' },
  },
  'drivers/openvswitch': {
    may: ['drivers/host', 'drivers/ovsdb', 'errors.ts', 'model'],
    packages: ['node:fs', 'node:os'],
    because: driversKnowNoPlans,
    never: {
      'drivers/networkmanager': driversApart,
      'node:child_process': 'flows are changed by ovs-ofctl, and drivers/host/process/exec.ts starts programs',
    },
  },
  'drivers/openssl': {
    may: ['drivers/host', 'errors.ts'],
    packages: ['node:crypto', 'node:fs', 'node:path'],
    because: driversKnowNoPlans,
    never: { 'node:child_process': 'drivers/host/process/exec.ts starts programs' },
  },
  'drivers/ovn': {
    may: ['drivers/host', 'drivers/ovsdb', 'errors.ts', 'model'],
    packages: ['node:fs'],
    because: driversKnowNoPlans,
    never: {
      'drivers/openvswitch': driversApart,
      'node:child_process': 'drivers/host/process/exec.ts starts programs',
      overlay: 'it reads and writes rows and knows no meaning of them',
    },
  },
  'drivers/kubernetes': {
    may: ['errors.ts', 'model', 'regular-file.ts', 'slices.ts'],
    packages: [
      '@kubernetes/client-node',
      'js-yaml',
      'node:crypto',
      'node:events',
      'node:fs',
      'node:http',
      'node:https',
      'node:path',
      'node:readline',
      'node:timers',
    ],
    because: driversKnowNoPlans,
    never: { 'drivers/host': driversApart },
  },
  'drivers/systemd': { may: ['deadline.ts', 'drivers/dbus', 'errors.ts', 'model'], because: driversKnowNoPlans },
  'drivers/firewalld': { may: ['drivers/dbus', 'errors.ts', 'model'], because: driversKnowNoPlans },
  'drivers/host': {
    may: ['deadline.ts', 'errors.ts', 'model', 'net', 'regular-file.ts'],
    packages: ['execa', 'node:dns', 'node:fs', 'node:net', 'node:os', 'node:path', 'node:perf_hooks', 'node:v8'],
    because: driversKnowNoPlans,
    never: { 'drivers/dbus': driversApart, 'node:child_process': 'exec.ts starts programs, through execa' },
  },
  'deadline.ts': { may: ['errors.ts'], because: 'everything that waits uses it' },
  'mask.ts': { may: [], because: pure },
  'printable.ts': { may: [], because: pure },
  'slices.ts': {
    may: [],
    packages: ['node:timers'],
    because: 'long work of every room shares the turns of one event loop',
  },
  'regular-file.ts': {
    may: [],
    packages: ['node:fs'],
    because: 'every read of a file that others write has the same limits, whichever room it is in',
  },
  'errors.ts': { may: [], packages: ['node:fs', 'node:path'], because: 'everything uses it' },
  'failures.ts': { may: ['errors.ts'], because: 'whatever begins something that has to be ended uses it' },
  'version.ts': { may: [], because: 'the bundler fills it in' },
  model: { may: [], because: 'it has types, constants and how a value is read' },
  net: { may: [], packages: ['node:net'], because: pure },
};

/** File or folder that wraps a package: no other may import the package. */
const homes: Readonly<Record<string, RegExp>> = {
  'dbus-next': /^drivers\/dbus\//,
  execa: /^drivers\/host\/process\/exec\.ts$/,
  'js-yaml': /^(config\/config|drivers\/kubernetes\/manifest)-yaml\.ts$/,
  commander: /^cli\//,
  '@kubernetes/client-node': /^drivers\/kubernetes\//,
};

interface Import {
  readonly from: string;
  readonly typeOnly: boolean;
}

interface Source {
  /** Path of the file, relative to agent/. */
  readonly file: string;
  readonly text: string;
  /** Text of the file without its comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

const agent = path.resolve('agent');
const sources: readonly Source[] = readdirSync(agent, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  .toSorted()
  .map(readSource);

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

t.test(
  'plan, compare, doctor, overlay, workload, trace, cni, net and model use no clock, no randomness and no process',
  (t) => {
    // A hash is not random; the table of layers says which layer may import node:crypto.
    const impure =
      /\b(Date|Math\.random|random(?:Bytes|Int|UUID|FillSync)|process|performance|(?<!node:)crypto|globalThis|fetch|setTimeout|setInterval|await|Promise)\b/;
    for (const source of sources.filter((entry) =>
      /^(plan|compare|doctor|overlay|workload|trace|cni|net|model)\//.test(entry.file),
    ))
      t.notMatch(source.code, impure, source.file);
    t.end();
  },
);

t.test('planning and address arithmetic use only isIP of node:net, and no sockets', (t) => {
  for (const source of sources.filter((entry) => /^(plan|net)\//.test(entry.file))) {
    const names = /import \{([^}]*)\} from 'node:net'/.exec(source.code)?.[1]?.split(',') ?? [];
    t.ok(
      names.every((name) => /^\s*isIP(v4|v6)?\s*$/.test(name)),
      source.file,
    );
  }
  t.end();
});

t.test('only main.ts ends the process and reads its arguments, and console is not used', (t) => {
  for (const { file, code } of sources) {
    t.notMatch(code, /\bconsole\./, `${file}: no console`);
    if (file !== 'main.ts')
      t.notMatch(code, /\bprocess\.(exit|argv)\b/, `${file}: process.exit and process.argv are for main.ts`);
  }
  t.end();
});

t.test('nothing depends on a locale, whose data takes a tenth of a run to load', (t) => {
  for (const { file, code } of sources) t.notMatch(code, /\blocaleCompare\(|\bIntl\.|\.toLocale\w+\(/, file);
  t.end();
});

t.test('a server of a test outlives a connection that its client has reset', (t) => {
  const files = readdirSync('test', { recursive: true }).map(String);
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const text = readFileSync(path.join('test', file), 'utf8');
    for (const [server] of text.matchAll(/createServer\(\(\w+\) => \w+\..*/g))
      t.match(server, "=> socket.on('error'", file);
  }
  t.end();
});

t.test('regular-file.ts reads files up to a limit, and never cuts them', (t) => {
  // These files also read: fault-points.ts and collect.ts report a file that is too large, and listening-sockets.ts
  // need not read all of the kernel's table, because listening sockets come before connections.
  const others = [
    'run/fault-points.ts',
    'support/collect.ts',
    'regular-file.ts',
    'drivers/host/kernel/listening-sockets.ts',
  ];
  for (const { file, code } of sources) {
    if (!others.includes(file)) t.notMatch(code, /\breadSync\(/, `${file}: regular-file.ts reads files`);
  }
  t.end();
});

t.test('no name or path becomes part of a shell script', (t) => {
  for (const { file, code } of sources) {
    t.notMatch(
      code,
      /node:child_process|\bprocess\.binding\b/,
      `${file}: programs are started by drivers/host/process/exec.ts`,
    );
    t.notMatch(
      code,
      /\bshell\s*:|\bexecaCommand|\{[^}]*\$[^}]*\} = await import\('execa'\)/,
      `${file}: programs get a list of arguments, and no shell parses them`,
    );
    // A shell gets a constant script; its parameters follow as separate arguments.
    for (const [, words = ''] of code.matchAll(/'(?:ba|da)?sh', \[(?:'-c', )?([^\]]*)\]/g)) {
      t.match(words, /^script(,|$)/, `${file}: ${words}`);
      t.match(
        code,
        /const script =\s*(?:'[^']*'|`(?:(?!\$\{)[^`])*`);/,
        `${file}: the script is a constant without inserted values`,
      );
    }
  }
  t.end();
});

t.test(`no file has more than ${maxLines} lines besides comments`, (t) => {
  for (const { file, text } of sources) {
    const code = text.replaceAll(/^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*)\n/gm, '');
    const lines = code.split('\n').length - 1;
    if (!file.includes('.generated.')) t.ok(lines <= maxLines, `${file}: ${lines}`);
  }
  t.end();
});

t.test('every limit has the reason for its value', (t) => {
  const limit = /^(export )?const \w+(Ms|Seconds|Bytes) = [\d_* ]+;/;
  for (const { file, text } of sources) {
    const lines = text.split('\n');
    lines.forEach((line, index) => {
      if (!limit.test(line)) return;
      // Several limits in consecutive lines can share one comment.
      let above = index - 1;
      while (limit.test(lines[above] ?? '')) above -= 1;
      t.match(lines[above], /\*\/$|^\/\//, `${file}:${index + 1} has a comment above it`);
    });
  }
  t.end();
});

const files = trackedFiles();
const noCheckout = files.length === 0 && 'git cannot list the files of this folder';

t.test('no file names a package registry or a path of a development machine', { skip: noCheckout }, (t) => {
  // The names are incomplete here, because this file would otherwise contain the forbidden texts.
  const registries = [
    'registry.npmjs',
    'registry.yarnpkg',
    'npm.pkg.github',
    'pypi',
    'files.pythonhosted',
    'proxy.golang',
    'sum.golang',
    'index.crates',
    'rubygems',
  ]
    .map((name) => `${name.replaceAll('.', '\\.')}\\.(?:org|com|io)`)
    .concat(['deb', 'security', 'snapshot'].map((name) => `${name}\\.${'debian'}\\.org`));
  const ownRegistry = hostOf(process.env.npm_config_registry);
  const forbidden = new RegExp(
    [...registries, ...(ownRegistry === null ? [] : [escapeRegExp(ownRegistry)])].join('|'),
    'i',
  );
  const homesOfPeople = /(?:^|[\s"'`=(])(?:\/home\/[a-z][\w-]*\/|\/Users\/\w+\/|[A-Z]:\\Users\\)/m;
  const checkout = `${process.cwd()}/`;
  const home = homedir();
  for (const file of files) {
    const text = readFileSync(file, 'latin1');
    const found = forbidden.exec(text)?.[0] ?? homesOfPeople.exec(text)?.[0].trim();
    const own = checkout.split('/').length > 3 && text.includes(checkout) ? checkout : undefined;
    const ownHome = home.startsWith('/home/') && text.includes(`${home}/`) ? home : undefined;
    if ((found ?? own ?? ownHome) !== undefined) t.fail(`${file} has ${found ?? own ?? ownHome}`);
  }
  t.end();
});

function readSource(file: string): Source {
  const text = readFileSync(path.join(agent, file), 'utf8');
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '');
  const statement = /^(?:import|export) ((?:type )?[\w$*{][^;'=()]*? from )?'([^']+)';/gm;
  const statements = [...code.matchAll(statement)].map(([, names = '', from = '']) => ({
    from,
    typeOnly: names.startsWith('type '),
  }));
  // A dynamic import cannot be part of a cycle while modules are loaded.
  const lazy = [...code.matchAll(/\bimport\('([^']+)'\)/g)].map(([, from = '']) => ({ from, typeOnly: true }));
  return { file, text, code, imports: [...statements, ...lazy] };
}

/** Files of agent/ and modules of Node.js that are loaded when a file is imported. */
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

/** Imports between the files and folders of each folder of agent/, by folder. Dynamic imports count. */
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

function resolved(file: string, from: string): string {
  return path.join(path.dirname(file), from);
}

/** Returns the package of an import: dbus-next for `dbus-next/lib/x.js`, and node:timers for `node:timers/promises`. */
function packageOf(from: string): string {
  return from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/');
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

function trackedFiles(): readonly string[] {
  try {
    const names = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return names.split('\0').filter((name) => name !== '' && existsSync(name));
  } catch {
    return [];
  }
}

function hostOf(url: string | undefined): string | null {
  const host = url === undefined || !URL.canParse(url) ? '' : new URL(url).host;
  return host === '' ? null : host;
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
