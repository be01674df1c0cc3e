// The real package, built by rpmbuild from dist/ and the sources beside it.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Why no package can be built here, for tap's `skip`; false when one can. */
export const rpmSkip: string | false = existsSync('/usr/bin/rpmbuild')
  ? false
  : 'rpmbuild is not installed (make rpm installs it)';

/** Builds the package under this version into a folder and gives its path. */
export function buildPackage(version: string, folder: string): string {
  const environment = { ...process.env, AGENT_VERSION: version };
  const output = execFileSync('rpm/build.sh', [folder], {
    encoding: 'utf8',
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return output.trim();
}
