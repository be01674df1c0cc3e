// Builds the real packages with rpmbuild from dist/ and the sources.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';

/** Reason why this machine cannot build a package, for tap's `skip`; false if it can. */
export const rpmSkip: string | false = existsSync('/usr/bin/rpmbuild')
  ? false
  : 'rpmbuild is not installed (make rpm installs it)';

/** Files and folders that rpm/build.sh reads. */
const sources = [
  ...['dist', 'systemd', 'config', 'agent', 'docs', 'LICENSE', 'README.md', 'CHANGELOG.md', 'package.json'],
  ...['rpm/build.sh', 'rpm/files', 'rpm/bundle.mjs', 'rpm/licences.mjs', 'rpm/microshift-net.spec'],
  ...['build/bundled-inputs.json', 'package-lock.json'],
];

/** Returns a folder for packages, which exists until the end of the test. */
export function packagesFolder(t: Test): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'packages-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Builds the package with a version into a folder, and returns its path. The packages of version 0.2.0 that other tests
 * install are used, because the package does not depend on the version of MicroShift.
 */
export function buildPackage(version: string, folder: string): string {
  const [beside = ''] = buildPackages(version, folder, '5.0.0');
  return beside;
}

/**
 * Builds the package, and if a version of MicroShift is given, also the package that replaces MicroShift's own package
 * of that version. The package with the former names of the commands goes into a separate folder, because few nodes
 * install it. Each pair of versions is built once for the same sources, because several tests install the packages.
 */
export function buildPackages(version: string, folder: string, microshiftVersion = ''): readonly string[] {
  const versions = path.join('build/packages', `${version}+${microshiftVersion}`);
  const kept = path.join(versions, hashOfSources());
  if (!existsSync(kept)) {
    mkdirSync(versions, { recursive: true });
    const fresh = mkdtempSync(path.join(versions, 'partial-'));
    buildFresh(version, fresh, microshiftVersion);
    const outdated = readdirSync(versions).filter((name) => !/^partial-/.test(name) && name !== path.basename(kept));
    for (const name of outdated) rmSync(path.join(versions, name), { recursive: true });
    // Another test may have built the same packages in the meantime.
    if (existsSync(kept)) rmSync(fresh, { recursive: true });
    else renameSync(fresh, kept);
  }
  cpSync(kept, folder, { recursive: true });
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && existsSync(path.join(kept, entry.name)) && !entry.name.endsWith('.src.rpm'))
    .map(({ name }) => path.join(folder, name))
    .sort();
}

/** Runs rpm/build.sh even if the packages exist, and returns them without the package that has the former names. */
export function buildFresh(version: string, folder: string, microshiftVersion = ''): readonly string[] {
  const environment = { ...process.env, AGENT_VERSION: version, MICROSHIFT_VERSION: microshiftVersion };
  const output = execFileSync('rpm/build.sh', [folder], {
    encoding: 'utf8',
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const packages = output.trim().split('\n');
  const names = packages.find((file) => path.basename(file).startsWith('microshift-net-ovn-k8s-'));
  if (names === undefined) throw new Error('rpmbuild made no package microshift-net-ovn-k8s');
  mkdirSync(path.join(folder, 'ovn-k8s'), { recursive: true });
  renameSync(names, path.join(folder, 'ovn-k8s', path.basename(names)));
  return packages.filter((file) => file !== names);
}

/** Returns a hash of the files that rpm/build.sh reads, and of the time of the commit. */
function hashOfSources(): string {
  const hash = createHash('sha256');
  hash.update(spawnSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8' }).stdout ?? '');
  for (const source of sources) {
    for (const file of filesBelow(source)) {
      hash.update(`${file} ${statSync(file).mode}\0`);
      hash.update(readFileSync(file));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

function filesBelow(source: string): readonly string[] {
  if (!statSync(source).isDirectory()) return [source];
  const entries = readdirSync(source, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [path.join(entry.parentPath, entry.name)] : [])).sort();
}

/** Returns the folder in which buildPackages has put the package with the former names. */
export function namesPackage(version: string, folder: string): string {
  return path.join(folder, 'ovn-k8s', `microshift-net-ovn-k8s-${version}-1.noarch.rpm`);
}
