import { readSmallFile } from '../drivers/host/files/files.ts';
import { namesIn } from '../drivers/host/files/kernel-files.ts';
import type { DefaultsSection } from '../model/connection-defaults.ts';

/*
 * NetworkManager's defaults of connection properties, read as NetworkManager reads them (NetworkManager.conf(5);
 * nm-config.c, read_entire_config; nm-config-data.c, _match_section_infos_construct). NetworkManager's API does not
 * return the defaults, not even as a part of an applied profile.
 */

export interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

const mainFile = '/etc/NetworkManager/NetworkManager.conf';
/**
 * Directories that are read before the main file (vendor, run) and after it (admin). A file in a later directory
 * replaces the file of the same name in an earlier directory.
 */
const [vendor, run, admin] = ['/usr/lib', '/run', '/etc'].map((root) => `${root}/NetworkManager/conf.d`) as [
  string,
  string,
  string,
];

/**
 * Returns the files of NetworkManager's configuration that packages and administrators write, lowest precedence first.
 * Leaves out files that a file of the same name replaces. Fails with `config-unreadable`.
 */
export function readManagerConfig(
  names: (directory: string) => readonly string[] = namesIn,
  textOf: (path: string) => string | null = readSmallFile,
): readonly ConfigFile[] {
  const [ofVendor, ofRun, ofAdmin] = [vendor, run, admin].map((directory) =>
    names(directory)
      .filter((name) => name.endsWith('.conf'))
      .toSorted(),
  ) as [string[], string[], string[]];
  const paths = [
    ...ofVendor.filter((name) => !ofRun.includes(name) && !ofAdmin.includes(name)).map((name) => `${vendor}/${name}`),
    ...ofRun.filter((name) => !ofAdmin.includes(name)).map((name) => `${run}/${name}`),
    mainFile,
    ...ofAdmin.map((name) => `${admin}/${name}`),
  ];
  return paths.flatMap((path) => {
    const text = textOf(path);
    return text === null ? [] : [{ path, text }];
  });
}

interface Merged {
  readonly values: Map<string, { readonly value: string; readonly file: string }>;
}

/**
 * Returns the sections with defaults in the order in which NetworkManager reads them. The value of a property comes
 * from the first matching section that has this property. `version` is that of NetworkManager.
 */
export function connectionDefaults(files: readonly ConfigFile[], version: string): readonly DefaultsSection[] {
  const merged = new Map<string, Merged>();
  for (const { path, text } of files) {
    const sections = parseKeyfile(text);
    if (path !== mainFile && !isEnabled(sections.get('.config')?.get('enable'), version)) continue;
    // The sections of each file are collected from the last one to the first. Their order is reversed at the end, so
    // the section that is collected last comes first; only `[connection]` comes after all others.
    for (const [name, values] of [...sections].toReversed()) {
      if (!name.startsWith('connection')) continue;
      const section = merged.get(name) ?? { values: new Map() };
      merged.set(name, section);
      for (const [key, value] of values) setValue(section, key, value, path);
    }
  }
  const general = [...merged].filter(([name]) => name === 'connection');
  const ordered = [...[...merged].filter(([name]) => name !== 'connection').toReversed(), ...general];
  return ordered.flatMap(([section, { values }]) => {
    const matchDevice = values.get('match-device')?.value;
    const properties = [...values].filter(([key]) => key.includes('.'));
    const stopMatch = isTrue(values.get('stop-match')?.value);
    if (properties.length === 0 && !stopMatch) return [];
    return [
      {
        section,
        matchDevice: matchDevice === undefined ? null : splitSpecs(matchDevice),
        stopMatch,
        values: Object.fromEntries(properties),
      },
    ];
  });
}

/**
 * Sets the value of a key in a section. `match-device+=` extends the list of earlier files, and `match-device-=`
 * shortens it; no other key of these sections is a list.
 */
function setValue({ values }: Merged, key: string, value: string, file: string): void {
  const [, name = '', sign = ''] = /^(.+?)([+-]?)$/.exec(key) ?? [];
  if (sign === '') {
    values.set(name, { value, file });
    return;
  }
  if (name !== 'match-device') return;
  const [before, own] = [splitSpecs(values.get(name)?.value ?? ''), splitSpecs(value)];
  const specs = sign === '-' ? before.filter((spec) => !own.includes(spec)) : [...new Set([...before, ...own])];
  values.set(name, { value: specs.join(','), file });
}

/**
 * Parses a key file and returns its sections by name, in the order of the file. A repeated key has its last value
 * (g_key_file_load_from_data).
 */
export function parseKeyfile(text: string): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>();
  let current: Map<string, string> | null = null;
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [, name] = /^\[(.+)\]$/.exec(line) ?? [];
    if (name !== undefined) {
      current = sections.get(name) ?? new Map();
      sections.set(name, current);
      continue;
    }
    const at = line.indexOf('=');
    if (at > 0) current?.set(line.slice(0, at).trim(), plainValue(line.slice(at + 1).trim()));
  }
  return sections;
}

/** Replaces the escape sequences of a string value (g_key_file_get_string). */
function plainValue(value: string): string {
  const escapes: Readonly<Record<string, string>> = { s: ' ', n: '\n', t: '\t', r: '\r', '\\': '\\' };
  return value.replaceAll(/\\([sntr\\])/g, (_, letter: string) => escapes[letter] ?? letter);
}

function splitSpecs(text: string): readonly string[] {
  return text
    .split(/[,;]/)
    .map((spec) => spec.trim())
    .filter((spec) => spec !== '');
}

function isTrue(value: string | undefined): boolean {
  return value !== undefined && /^(yes|true|on|1)$/i.test(value);
}

/**
 * Evaluates `enable` in [.config]: a boolean, or versions of NetworkManager (nm-config.c, ignore_config_snippet).
 * `env:` refers to the environment of NetworkManager's process and counts as no match.
 */
export function isEnabled(enable: string | undefined, version: string): boolean {
  if (enable === undefined) return true;
  if (/^(yes|true|on|1|no|false|off|0)$/i.test(enable)) return isTrue(enable);
  const specs = splitSpecs(enable).map((spec) => {
    const isExcept = spec.startsWith('except:');
    return { isExcept, holds: fitsVersion(isExcept ? spec.slice('except:'.length) : spec, version) };
  });
  if (specs.some(({ isExcept, holds }) => isExcept && holds)) return false;
  return specs.every(({ isExcept }) => isExcept) || specs.some(({ isExcept, holds }) => !isExcept && holds);
}

function fitsVersion(spec: string, version: string): boolean {
  const [, kind = '', text = ''] = /^nm-version(-min|-max)?:(.+)$/.exec(spec) ?? [];
  if (text === '') return false;
  const [own, asked] = [numbersOf(version), numbersOf(text)];
  // A requested version without its last number, such as 1.44, stands for every version of that series.
  const place = asked.findIndex((number, index) => number !== (own[index] ?? 0));
  if (place < 0) return true;
  const isNewer = (own[place] ?? 0) > (asked[place] ?? 0);
  return kind === '-min' ? isNewer : kind === '-max' ? !isNewer : false;
}

function numbersOf(version: string): readonly number[] {
  return version.split(/[.-]/).slice(0, 3).map(Number);
}
