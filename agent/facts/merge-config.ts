import type { ConfigSection } from '../model/network-manager-config.ts';
import { type ConfigFile, isEnabled, parseKeyfile } from './manager-defaults.ts';

/**
 * Merges the configuration files that NetworkManager of the given version reads. `files` are in the order of their
 * precedence, lowest first: a value of a later file replaces that of the same section and key. The returned sections
 * are in the opposite order, highest precedence first.
 */
export function mergeConfig(files: readonly ConfigFile[], version: string): readonly ConfigSection[] {
  const merged = new Map<string, { readonly values: Map<string, string>; readonly files: Map<string, string> }>();
  for (const { path, text } of files) {
    // The sections of each file are collected from the last one to the first. Their order is reversed at the end, so
    // the section that is collected last comes first; only `[device]` and `[connection]` come after all others.
    const sections = parseKeyfile(text);
    if (!isEnabled(sections.get('.config')?.get('enable'), version)) continue;
    for (const [name, values] of [...sections].toReversed()) {
      const own = merged.get(name) ?? { values: new Map<string, string>(), files: new Map<string, string>() };
      for (const [key, value] of values) own.files.set(setValue(own.values, key, value), path);
      merged.set(name, own);
    }
  }
  const isLast = ([name]: readonly [string, unknown]): boolean => name === 'device' || name === 'connection';
  const entries = [...merged].toReversed();
  return [...entries.filter((entry) => !isLast(entry)), ...entries.filter(isLast)].map(([name, { values, files }]) => ({
    name,
    values: Object.fromEntries(values),
    files: Object.fromEntries(files),
  }));
}

/**
 * Sets the value of a key in a section. `key+` adds items to the list of earlier files, and `key-` removes items from
 * it. Returns the key without `+` or `-`.
 */
function setValue(values: Map<string, string>, key: string, value: string): string {
  const name = key.replace(/[+-]$/, '');
  const items = (text: string): readonly string[] => text.split(/[,;]/).filter((item) => item !== '');
  const present = items(values.get(name) ?? '');
  if (key.endsWith('+')) values.set(name, [...present, ...items(value)].join(';'));
  else if (key.endsWith('-')) values.set(name, present.filter((item) => !items(value).includes(item)).join(';'));
  else values.set(name, value);
  return name;
}
