// npm test: builds, runs the test files at once as far as the machine permits, and ends with one line "N passed, N failed, N skipped".
//   npm test -- [--no-build] [--remember] [part of a file name]...
//   --remember writes the order of the next runs (test/longest-first.json) from the durations of this one.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import readline from 'node:readline';
import { inSource } from './in-source.mjs';
import { putTapIntoOneFile } from './tap-in-one-file.mjs';

// Most tests wait for timers and for other processes for a part of their time, so more of them run at once than the
// machine has CPUs. More than these need too much memory, and test/node/slot.ts has addresses for four nodes.
const filesAtOnce = 7;
const nodesAtOnce = 4;
// Only a test that hangs reaches this limit: the longest files boot a dozen nodes and wait for a free CPU.
const fileLimitSeconds = 1500;
const progressMs = 60_000;
const orderFile = 'test/longest-first.json';

/** Resources that are made before the tests of a folder start, and whether the tests of the folder boot a node. */
const needs = {
  cluster: { base: true, kubernetes: true },
  kubelet: { base: true, kubernetes: true },
  microshift: { base: true, node: true },
  node: { base: true, node: true },
  overlay: { base: true, kubernetes: true },
  ovnkube: { base: true, kubernetes: true, node: true },
  ovsdb: { base: true, kubernetes: true },
  package: { base: true, node: true },
};

const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith('--'));
const counts = { pass: 0, fail: 0, skip: 0 };
const skipped = new Set();
const startedMs = performance.now();

async function main() {
  if (!args.includes('--no-build') && !succeeds('npm', ['run', '--silent', 'build'])) return finish('the build failed');
  if (!tapIsBuilt() && !succeeds('node_modules/.bin/tap', ['build'], 'ignore')) return finish('tap could not be built');
  await putTapIntoOneFile();
  if (!succeeds('node_modules/.bin/tsc', [])) return finish('the tests do not compile');
  const files = testFiles().filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)));
  const names = inOrder([...new Set(files.map(processOf))]);
  const prepared = prepare(names);
  note(`${files.length} test files in ${names.length} processes`);
  const durations = await runAll(names, files, prepared);
  for (const reason of skipped) note(`skipped: ${reason}`);
  if (args.includes('--remember')) remember(durations);
  return finish(counts.pass === 0 ? 'nothing ran' : undefined);
}

/** Returns false if tap still has the plug-ins that package.json leaves out, as after its installation. */
function tapIsBuilt() {
  return !fs.readFileSync('node_modules/@tapjs/test/test-built/dist/esm/index.js', 'utf8').includes('@tapjs/mock');
}

/** Names of the compiled tests whose source still exists: `node/apply` for build/test/node/apply.test.js. */
function testFiles() {
  const all = fs.readdirSync('build/test', { recursive: true }).map(String);
  const names = all.flatMap((file) => /^(.*)\.test\.js$/.exec(file)?.[1] ?? []);
  return names.filter((name) => fs.existsSync(`test/${name}.test.ts`)).sort();
}

/**
 * Returns the name of the process that runs a test file: the name of the file, or its folder. The files of a folder of
 * unit tests run in one process because loading the agent takes longer than most of these tests, and those of
 * test/cluster because they share an API server.
 */
function processOf(file) {
  return /^(?:unit\/[^/]+|cluster)(?=\/)/.exec(file)?.[0] ?? file;
}

/**
 * Sorts processes, longest first, so that no long one runs alone at the end. A process without a known duration counts
 * as long if it needs a resource, and otherwise as short.
 */
function inOrder(names) {
  const order = JSON.parse(fs.readFileSync(orderFile, 'utf8'));
  const place = (name) => (name.split('/')[0] in needs || order.includes(name) ? order.indexOf(name) : order.length);
  return names.toSorted((one, other) => place(one) - place(other));
}

function needsOf(name) {
  return needs[name.split('/')[0]] ?? {};
}

/** Starts to make the resources that the test files need; undefined for a resource that no file needs. */
function prepare(names) {
  const isNeeded = (what) => names.some((name) => needsOf(name)[what]);
  const base =
    isNeeded('base') && process.getuid?.() === 0 ? made('test/node/build-base.sh', [], 'the test node') : undefined;
  const kubernetes = isNeeded('kubernetes')
    ? made('node', ['build/test/cluster/prepare.js'], 'a part of the cluster')
    : undefined;
  return { base, kubernetes };
}

/**
 * Runs a program that makes a resource. A failure counts in the result, and tests that need the resource report that it
 * is missing.
 */
function made(command, argv, what) {
  return new Promise((resolve) => {
    spawn(command, argv, { stdio: ['ignore', 'ignore', 'inherit'] }).once('close', (status) => {
      if (status !== 0) {
        note(`${what} could not be made`);
        counts.fail += 1;
      }
      resolve();
    });
  });
}

/**
 * Runs the processes with these names in order, each as soon as its resources exist; returns the duration of each in
 * seconds.
 */
async function runAll(names, files, prepared) {
  const waiting = [...names];
  const running = new Map();
  const ready = { base: prepared.base === undefined, kubernetes: prepared.kubernetes === undefined };
  const durations = {};
  const progress = setInterval(() => note(progressLine(names.length, waiting.length, [...running.keys()])), progressMs);
  await new Promise((resolve) => {
    /** Starts the next waiting process whose resources exist; returns false if no waiting process can start. */
    const startOne = () => {
      const nodes = [...running.keys()].filter((name) => needsOf(name).node).length;
      const next = waiting.findIndex((name) => {
        const { base = false, kubernetes = false, node = false } = needsOf(name);
        return (!base || ready.base) && (!kubernetes || ready.kubernetes) && (!node || nodes < nodesAtOnce);
      });
      if (next === -1) return false;
      const [name] = waiting.splice(next, 1);
      const beganMs = performance.now();
      const filesOfName = files.filter((file) => processOf(file) === name);
      const ended = runFiles(name, filesOfName).then(() => {
        durations[name] = Math.round((performance.now() - beganMs) / 1000);
        running.delete(name);
        startMore();
      });
      running.set(name, ended);
      return true;
    };
    const startMore = () => {
      while (running.size < filesAtOnce && startOne());
      if (running.size === 0 && waiting.length === 0) resolve();
    };
    for (const [what, end] of Object.entries(prepared)) {
      end?.then(() => {
        ready[what] = true;
        startMore();
      });
    }
    startMore();
  });
  clearInterval(progress);
  return durations;
}

function progressLine(all, left, running) {
  const minutes = Math.round((performance.now() - startedMs) / 60_000);
  return `${minutes} min: ${all - left - running.length} of ${all} processes have ended, running: ${running.join(', ')}`;
}

/**
 * Returns the environment of a test file. Node reads the certificates of NODE_EXTRA_CA_CERTS at each start, for 55 ms of
 * CPU time, and only tests of the package download files.
 */
function environmentOf(name) {
  const { NODE_EXTRA_CA_CERTS, ...others } = process.env;
  return name.startsWith('package/') ? process.env : others;
}

/**
 * Runs test files in one process, prints their failures and a line with their result, and adds their assertions to the
 * counts. The process has a session of its own, to which the scheduler gives as much CPU time as to any other session
 * of a busy machine (sched(7), autogroup). It ends with this process, because a signal of a terminal does not reach it.
 */
async function runFiles(name, files) {
  const beganMs = performance.now();
  const words = files[0] === name ? [`build/test/${name}.test.js`] : ['test/together.mjs', name];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    timeout: (fileLimitSeconds + 30) * 1000,
    killSignal: 'SIGKILL',
    env: {
      ...environmentOf(name),
      TAP: '1',
      TAP_TIMEOUT: String(fileLimitSeconds),
      TEST_FILES: files.join(' '),
    },
  });
  const ended = new Promise((resolve) => child.once('close', (status, signal) => resolve(status ?? signal)));
  const shown = [];
  let total = '';
  let inFailure = false;
  for await (const line of readline.createInterface({ input: child.stdout })) {
    if (/^# \{ total: /.test(line)) total = line;
    const skip = /# SKIP (.+)/i.exec(line)?.[1];
    if (skip !== undefined) skipped.add(skip);
    // A failure in TAP consists of its line and the YAML block below it.
    if (/^ *not ok /.test(line)) inFailure = true;
    else if (!/^ {2}/.test(line)) inFailure = false;
    if (inFailure) shown.push(line);
    if (/^ *\.\.\.$/.test(line)) inFailure = false;
  }
  const status = await ended;
  const count = (key) => Number(new RegExp(`\\b${key}: (\\d+)`).exec(total)?.[1] ?? 0);
  counts.pass += count('pass');
  counts.skip += count('skip') + count('todo');
  // A test file that crashes between two assertions counts as one failure.
  counts.fail += status === 0 ? count('fail') : Math.max(1, count('fail'));
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
  const lines = [
    ...inSource(shown),
    `${status === 0 ? 'ok' : 'not ok'} ${name} # ${seconds} s${status === 0 ? '' : `, ended with ${status}`}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function remember(durations) {
  const long = Object.entries(durations).filter(([, seconds]) => seconds >= 5);
  const names = long.toSorted(([, one], [, other]) => other - one).map(([name]) => name);
  fs.writeFileSync(orderFile, `${JSON.stringify(names, null, 2)}\n`);
}

function succeeds(command, argv, stdout = 2) {
  return spawnSync(command, argv, { stdio: ['ignore', stdout, 'inherit'] }).status === 0;
}

function note(text) {
  process.stdout.write(`# ${text}\n`);
}

function finish(problem) {
  if (problem !== undefined) {
    note(problem);
    counts.fail = Math.max(1, counts.fail);
  }
  process.exitCode = counts.fail > 0 ? 1 : 0;
  process.stdout.write(`${counts.pass} passed, ${counts.fail} failed, ${counts.skip} skipped\n`);
}

await main();
