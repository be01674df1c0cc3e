// The OVN of nodes that are namespaces: Debian's, or the test node's.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackedOvn } from '../cluster/unpacked-ovn.ts';
import { newerRoot } from './releases.ts';

/** Where the test node's base is on a node that has it. */
export const base = '/opt/testnode';
const libraries = `${base}/usr/lib/x86_64-linux-gnu`;
/** Before a program of the base: it runs with the libraries beside it. */
export const withItsLibraries = [`${libraries}/ld-linux-x86-64.so.2`, '--library-path', libraries] as const;

/** A folder with usr/bin and usr/share/ovn, and what a node has to be made with (Lan.host) to run what is in it. */
export interface OvnOfNodes {
  readonly folder: string;
  readonly mounts: readonly string[];
}

/** Which OVN: Debian's own, or the newer one of the test node, with its Open vSwitch. */
export type WhichOvn = 'own' | 'newer';

/** The one that a run asks for by MICROSHIFT_NET_OVN=own or =newer; null: none. */
export const askedOvn: WhichOvn | null =
  (['own', 'newer'] as const).find((one) => one === process.env.MICROSHIFT_NET_OVN) ?? null;

/** Releases that are available. */
export const ovnsHere = (): readonly WhichOvn[] => (newerRoot() === null ? ['own'] : ['own', 'newer']);

/** The one of a test that runs with one: the one that the run asks for, and the newest at hand if it asks for none. */
export const oneOvn = (): WhichOvn => askedOvn ?? ovnsHere().at(-1) ?? 'own';

/** `place`: a folder for it that is not there yet. */
export function ovnOfNodes(which: WhichOvn, place: string): OvnOfNodes {
  const own = unpackedOvn();
  if (which === 'own') return { folder: own, mounts: [] };
  const newer = newerRoot();
  if (newer === null) throw new Error('the test node has not been built, whose OVN is asked for');
  const programs = join(place, 'usr/bin');
  mkdirSync(programs, { recursive: true });
  for (const name of readdirSync(join(own, 'usr/bin'))) {
    // That one is Python, and no part of a node.
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
