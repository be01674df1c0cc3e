// Schemas of the releases of OVN that are at hand: Debian's, whose programs the tests run, and that of the test node, where its base has been built.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackedOvn } from '../cluster/unpacked-ovn.ts';

/** A folder with ovn-nb.ovsschema and ovn-sb.ovsschema. */
export interface Release {
  /** The version of its northbound schema, which changes with every change of it (ovsdb(7)). */
  readonly name: string;
  readonly schemas: string;
}

/** Downloads Debian's; the other one only where it is there already. */
export function releasesHere(): readonly Release[] {
  const base = execFileSync('bash', ['test/node/build-base.sh', '--path'], { encoding: 'utf8' }).trim();
  return [unpackedOvn(), base]
    .map((root) => join(root, 'usr/share/ovn'))
    .filter((schemas) => existsSync(join(schemas, 'ovn-nb.ovsschema')))
    .map((schemas) => {
      const text = readFileSync(join(schemas, 'ovn-nb.ovsschema'), 'utf8');
      return { name: `northbound schema ${(JSON.parse(text) as { version: string }).version}`, schemas };
    });
}
