// Source files of the agent, with their imports.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface Import {
  readonly from: string;
  readonly typeOnly: boolean;
}

export interface Source {
  /** Path of the file, relative to agent/. */
  readonly file: string;
  readonly text: string;
  /** Text of the file without its comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

const agent = path.resolve('agent');
export const sources: readonly Source[] = readdirSync(agent, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  .toSorted()
  .map(readSource);

function readSource(file: string): Source {
  const text = readFileSync(path.join(agent, file), 'utf8');
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '');
  const statement = /^(?:import|export) ((?:type )?[\w$*{][^;'=()]*? from )?'([^']+)';/gm;
  const statements = [...code.matchAll(statement)].map(([, names = '', from = '']) => ({
    from,
    typeOnly: names.startsWith('type '),
  }));
  // A dynamic import counts as an import of a type, because it cannot be part of a cycle while modules are loaded.
  const lazy = [...code.matchAll(/\bimport\('([^']+)'\)/g)].map(([, from = '']) => ({ from, typeOnly: true }));
  return { file, text, code, imports: [...statements, ...lazy] };
}

export function resolved(file: string, from: string): string {
  return path.join(path.dirname(file), from);
}

/** Returns the package of an import: dbus-next for `dbus-next/lib/x.js`, and node:timers for `node:timers/promises`. */
export function packageOf(from: string): string {
  return from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/');
}
