// OVN of nodes that are namespaces: that of Debian, or of the test node.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackedOvn } from '../cluster/unpacked-ovn.ts';
import { newerRoot } from './releases.ts';

/** Path at which a node has the base of the test node. */
export const base = '/opt/testnode';
const libraries = `${base}/usr/lib/x86_64-linux-gnu`;
/** Prefix of a program of the base, which runs it with the libraries of the base. */
export const withItsLibraries = [`${libraries}/ld-linux-x86-64.so.2`, '--library-path', libraries] as const;

/** Folder with usr/bin and usr/share/ovn, and the options of a node (Lan.host) that can run its programs. */
export interface OvnOfNodes {
  readonly folder: string;
  readonly mounts: readonly string[];
}

/** Kind of OVN: Debian's, or the newer one of the test node with its Open vSwitch. */
export type WhichOvn = 'own' | 'newer';

/** OVN that MICROSHIFT_NET_OVN selects (own or newer); null if the variable is not set. */
export const askedOvn: WhichOvn | null =
  (['own', 'newer'] as const).find((one) => one === process.env.MICROSHIFT_NET_OVN) ?? null;

/** Returns the kinds of OVN of a test: the kind that MICROSHIFT_NET_OVN selects, or every available one. */
export const ovnsHere = (): readonly WhichOvn[] => {
  if (askedOvn !== null) return [askedOvn];
  return newerRoot() === null ? ['own'] : ['own', 'newer'];
};

/**
 * Returns the OVN of a test that uses one release: the one that MICROSHIFT_NET_OVN selects, or the newest available.
 */
export const oneOvn = (): WhichOvn => askedOvn ?? ovnsHere().at(-1) ?? 'own';

/** Returns an OVN for nodes. The newer one is set up in the folder `place`, which must not exist yet. */
export function ovnOfNodes(which: WhichOvn, place: string): OvnOfNodes {
  const own = unpackedOvn();
  if (which === 'own') return { folder: own, mounts: [] };
  const newer = newerRoot();
  if (newer === null) throw new Error('the test node has not been built, whose OVN is asked for');
  const programs = join(place, 'usr/bin');
  mkdirSync(programs, { recursive: true });
  for (const name of readdirSync(join(own, 'usr/bin'))) {
    // Debian's ovn-detrace is used, because it is a Python program, which cannot run with the libraries of the base.
    if (name === 'ovn-detrace' || !existsSync(join(newer, 'usr/bin', name)))
      copyFileSync(join(own, 'usr/bin', name), join(programs, name));
    else
      writeFileSync(
        join(programs, name),
        `#!/bin/sh\nexec ${withItsLibraries.join(' ')} --argv0 ${name} ${base}/usr/bin/${name} "$@"\n`,
        { mode: 0o755 },
      );
  }
  cpSync(join(newer, 'usr/share/ovn'), join(place, 'usr/share/ovn'), { recursive: true });
  return { folder: place, mounts: [`${newer}=${base}`] };
}
