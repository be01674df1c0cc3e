// Every setting and property of NetworkManager, as libnm in the test node's root describes them. No node is booted.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { ProfileSettings } from '../../agent/model/profile-settings.ts';
import { sourceDir } from './source.ts';

/** Property in a profile that libnm accepts; null for a profile without any special property. */
export interface SettingCase {
  kind: string;
  setting: string | null;
  key: string | null;
  /**
   * Value in the form of GetSettings; null if no profile of this kind can have the setting, or if the property has no
   * value.
   */
  profile: ProfileSettings | null;
  /** True if GetSettings leaves the property out. */
  secret: boolean;
}

/** Result of libnm for a profile: the form that NetworkManager would use, or the reason for its refusal. */
export type Checked = { profile: ProfileSettings } | { refused: string };

const script = fs.readFileSync(path.join(sourceDir, 'guest/every-setting.py'), 'utf8');
// Limit of the output, several times the hundred kilobytes that the profiles have.
const maxBuffer = 64 * 1024 * 1024;

/** Returns every property in every kind of profile. */
export function everySetting(): SettingCase[] {
  return linesOf<SettingCase>(['list'], '');
}

/** Passes each list of profiles to libnm, which reads it as NetworkManager reads a profile from D-Bus. */
export function checkProfiles(lists: readonly (readonly ProfileSettings[])[]): Checked[][] {
  return linesOf<Checked[]>(['check'], lists.map((list) => `${JSON.stringify(list)}\n`).join(''));
}

function linesOf<T>(args: string[], input: string): T[] {
  const base = execFileSync(path.join(sourceDir, 'build-base.sh'), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
  // With -B Python writes no files, because the tests share this root.
  const python = ['python3', '-B', '-W', 'ignore', '-c', script, ...args];
  const output = execFileSync('chroot', [base, ...python], { input, maxBuffer, stdio: ['pipe', 'pipe', 'ignore'] });
  return output
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}
