// The real package, built by rpmbuild from dist/ and the sources beside it.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';

/** Why no package can be built here, for tap's `skip`; false when one can. */
export const rpmSkip: string | false = existsSync('/usr/bin/rpmbuild')
  ? false
  : 'rpmbuild is not installed (make rpm installs it)';

/** Builds the package under this version into a folder and gives its path. */
export function buildPackage(version: string, folder: string): string {
  const [beside = ''] = buildPackages(version, folder);
  return beside;
}

/**
 * The same, and where a version of MicroShift is given the package that replaces MicroShift's own of that version. The package of old names goes
 * into a folder of its own: hardly anybody installs it.
 */
export function buildPackages(version: string, folder: string, microshiftVersion = ''): readonly string[] {
  const environment = { ...process.env, AGENT_VERSION: version, MICROSHIFT_VERSION: microshiftVersion };
  const output = execFileSync('rpm/build.sh', [folder], {
    encoding: 'utf8',
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const packages = output.trim().split('\n');
  const names = packages.find((file) => path.basename(file).startsWith('microshift-net-ovn-k8s-'));
  if (names === undefined) throw new Error('the package of old names was not built');
  mkdirSync(path.join(folder, 'ovn-k8s'), { recursive: true });
  renameSync(names, path.join(folder, 'ovn-k8s', path.basename(names)));
  return packages.filter((file) => file !== names);
}

/** Where buildPackages has put the package of old names. */
export function namesPackage(version: string, folder: string): string {
  return path.join(folder, 'ovn-k8s', `microshift-net-ovn-k8s-${version}-1.noarch.rpm`);
}
