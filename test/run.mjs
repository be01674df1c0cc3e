// npm test: builds, runs the unit tests and then the integration tests, and ends with one line "N passed, N failed, N skipped".
//   npm test -- [--no-build] [part of a file name]...
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';

const integration = /^build\/test\/(node|cluster|kubelet|microshift|ovnkube|overlay|ovsdb|package)\//;
// Two nodes at the most run at once, one per CPU.
const jobs = 2;
// Only what hangs meets it: files boot nodes, some of them dozens of times, and wait for a free one.
const fileLimitSeconds = 1500;

const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith('--'));
const counts = { pass: 0, fail: 0, skip: 0 };

async function main() {
  if (!args.includes('--no-build') && !succeeds('npm', ['run', '--silent', 'build'])) return finish('the build failed');
  if (!tapIsBuilt() && !succeeds('node_modules/.bin/tap', ['build'], 'ignore')) return finish('tap could not be built');
  if (!succeeds('node_modules/.bin/tsc', [])) return finish('the tests do not compile');
  const files = testFiles('build/test').filter(
    (file) => wanted.length === 0 || wanted.some((part) => file.includes(part)),
  );
  await runTap(
    'unit',
    files.filter((file) => !integration.test(file)),
  );
  const nodeFiles = files.filter((file) => integration.test(file));
  if (nodeFiles.length > 0 && process.getuid?.() === 0 && !succeeds('test/node/build-base.sh', [], 'ignore')) {
    note('the test node could not be built');
    counts.fail += 1;
  }
  const wantsCluster = nodeFiles.some((file) => /^build\/test\/(cluster|kubelet|ovnkube|overlay|ovsdb)\//.test(file));
  // it skips what this machine has not the tools for; what it should have made and did not is a failure
  if (wantsCluster && !succeeds('node', ['build/test/cluster/prepare.js'])) counts.fail += 1;
  await runTap('integration', nodeFiles);
  return finish(counts.pass === 0 ? 'nothing ran' : undefined);
}

/** Fresh from the registry tap has all its plugins in; those we leave out (package.json) would still be loaded in its first run. */
function tapIsBuilt() {
  return !fs.readFileSync('node_modules/@tapjs/test/test-built/dist/esm/index.js', 'utf8').includes('@tapjs/mock');
}

/** Every compiled test whose source still exists. */
function testFiles(folder) {
  const all = fs.readdirSync(folder, { recursive: true }).map((file) => path.join(folder, String(file)));
  const source = (file) => file.replace(/^build\//, '').replace(/\.js$/, '.ts');
  return all.filter((file) => file.endsWith('.test.js') && fs.existsSync(source(file))).sort();
}

/** Runs test files, shows a line per file and what failed, and adds tap's own counts of assertions. */
async function runTap(name, files) {
  if (files.length === 0) return;
  note(`${name} tests: ${files.length} files`);
  const options = ['--reporter=tap', `--jobs=${jobs}`, `--timeout=${fileLimitSeconds}`];
  const tap = spawn('node_modules/.bin/tap', ['run', ...options, ...files], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => tap.once('close', resolve));
  let total = '';
  let inFailure = false;
  const skipped = new Set();
  for await (const line of readline.createInterface({ input: tap.stdout })) {
    if (/^# \{ total: /.test(line)) total = line;
    const skip = /# SKIP (.+)/i.exec(line)?.[1];
    if (skip !== undefined) skipped.add(skip);
    // a failure is its line and the YAML block below it
    if (/^ *not ok /.test(line)) inFailure = true;
    else if (!/^ {2}/.test(line)) inFailure = false;
    if (inFailure || /^ok /.test(line)) process.stdout.write(`${line}\n`);
    if (/^ *\.\.\.$/.test(line)) inFailure = false;
  }
  const count = (key) => Number(new RegExp(`\\b${key}: (\\d+)`).exec(total)?.[1] ?? 0);
  for (const reason of skipped) note(`skipped: ${reason}`);
  counts.pass += count('pass');
  counts.skip += count('skip') + count('todo');
  // a file that dies between two assertions fails the run without a failed assertion
  counts.fail += (await ended) === 0 ? count('fail') : Math.max(1, count('fail'));
}

function succeeds(command, commandArgs, stdout = 'inherit') {
  const ended = spawnSync(command, commandArgs, { stdio: ['ignore', stdout, 'inherit'] });
  if (ended.error) note(`${command}: ${ended.error.message}`);
  return ended.status === 0;
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
