// The real package, built by rpmbuild from dist/ and the sources beside it.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Why no package can be built here, for tap's `skip`; false when one can. */
export const rpmSkip: string | false = existsSync('/usr/bin/rpmbuild')
  ? false
  : 'rpmbuild is not installed (make rpm installs it)';

/** Builds the package under this version into a folder and gives its path. */
export function buildPackage(version: string, folder: string): string {
  const [beside = ''] = buildPackages(version, folder);
  return beside;
}

/** The same, and where a version of MicroShift is given the package that replaces MicroShift's own of that version. */
export function buildPackages(version: string, folder: string, microshiftVersion = ''): readonly string[] {
  const environment = { ...process.env, AGENT_VERSION: version, MICROSHIFT_VERSION: microshiftVersion };
  const output = execFileSync('rpm/build.sh', [folder], {
    encoding: 'utf8',
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return output.trim().split('\n');
}
