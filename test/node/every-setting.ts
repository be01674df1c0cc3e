// Every setting and property NetworkManager has, by its own introspection (libnm in the test node's root; nothing is
// booted).
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { ProfileSettings } from '../../agent/model/profile-settings.ts';
import { sourceDir } from './source.ts';

/** One property in a profile that libnm accepts; a null property: the profile without anything special. */
export interface SettingCase {
  kind: string;
  setting: string | null;
  key: string | null;
  /** Value as in GetSettings; null if no profile of this kind can have the setting, or it has no value. */
  profile: ProfileSettings | null;
  /** GetSettings leaves it out. */
  secret: boolean;
}

/** Result of libnm for a profile: the form that NetworkManager would use, or the reason of its refusal. */
export type Checked = { profile: ProfileSettings } | { refused: string };

const script = fs.readFileSync(path.join(sourceDir, 'guest/every-setting.py'), 'utf8');
// A hundred kilobytes of profiles, several times over.
const maxBuffer = 64 * 1024 * 1024;

/** Every property in every kind of profile. */
export function everySetting(): SettingCase[] {
  return linesOf<SettingCase>(['list'], '');
}

/** Lets libnm take each list of profiles the way NetworkManager takes one over D-Bus. */
export function checkProfiles(lists: readonly (readonly ProfileSettings[])[]): Checked[][] {
  return linesOf<Checked[]>(['check'], lists.map((list) => `${JSON.stringify(list)}\n`).join(''));
}

function linesOf<T>(args: string[], input: string): T[] {
  const base = execFileSync(path.join(sourceDir, 'build-base.sh'), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
  // -B: the root is shared and must not change.
  const python = ['python3', '-B', '-W', 'ignore', '-c', script, ...args];
  const output = execFileSync('chroot', [base, ...python], { input, maxBuffer, stdio: ['pipe', 'pipe', 'ignore'] });
  return output
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}
