import { escapeText } from '../printable.ts';
import { cpuListFault } from './cpu-list.ts';
import { interfaceNameFault } from './interface-name.ts';
import { type OvnTree, type Place, pointer } from './ovn-tree.ts';
import type { Problem } from './problem.ts';
import { lineAt, type SourceText, sourceLine } from './source-text.ts';

/** A setting that the file makes: its value, its source, and where it stands. */
export interface Setting<T> {
  readonly value: T;
  readonly source: string;
  readonly place: Place;
}

/** Finds settings in a file whose values fit the schema, and collects what a schema cannot say against them. */
export class OvnSettings {
  readonly problems: Problem[] = [];
  readonly #source: SourceText;
  readonly #tree: OvnTree;

  constructor(source: SourceText, tree: OvnTree) {
    this.#source = source;
    this.#tree = tree;
  }

  /** The setting at a path of keys; null when it is absent, has no value or is an empty string. */
  setting<T>(...keys: readonly string[]): Setting<T> | null {
    const place = this.#tree.places.get(pointer(keys));
    let value: unknown = this.#tree.value;
    for (const key of keys) value = (value as Readonly<Record<string, unknown>> | undefined)?.[key];
    if (place === undefined || value === undefined || value === '') return null;
    return { value: value as T, source: sourceLine(this.#source, place.key.at), place };
  }

  /** Of two spellings of one setting, the one that is used; a problem when both are and they differ. */
  either<T>(one: Setting<T> | null, other: Setting<T> | null): Setting<T> | null {
    if (one === null || other === null) return one ?? other;
    if (one.value === other.value) return one;
    const [first, second] = one.place.key.at < other.place.key.at ? [one, other] : [other, one];
    this.#problem(
      second,
      `${said(second)} contradicts ${said(first)} on line ${this.#line(first)}: both are spellings of one setting`,
      'keep one of the two lines',
    );
    return one;
  }

  /** The same setting; a problem when its value cannot be the name of an interface. */
  interfaceName(setting: Setting<string> | null): Setting<string> | null {
    const fault = setting === null ? null : interfaceNameFault(setting.value);
    if (setting !== null && fault !== null) {
      this.#problem(
        setting,
        `${name(setting)} must be the name of an interface: ${fault}`,
        'write the name as "ip link" shows it',
      );
    }
    return setting;
  }

  /** The same setting; a problem when its value means something else to the newer spelling than it did to this one. */
  notReserved(setting: Setting<string> | null): Setting<string> | null {
    if (setting !== null && (setting.value === 'auto' || setting.value === 'none')) {
      const message = `${name(setting)} must be the name of an interface, not ${setting.value}`;
      this.#problem(setting, message, `write uplink: ${setting.value} at the top level instead`);
    }
    return setting;
  }

  /** The same setting as text; a problem when a range in it cannot be meant. */
  cpuList(setting: Setting<string | number> | null): Setting<string> | null {
    if (setting === null) return null;
    const list = { ...setting, value: String(setting.value) };
    const fault = list.value === 'none' ? null : cpuListFault(list.value);
    if (fault !== null)
      this.#problem(setting, `${name(setting)} must be a CPU list: ${fault}`, 'write for example cpuAffinity: "0-1,4"');
    return list;
  }

  /** A problem when one device is wanted as the uplink of both bridges. */
  distinct(uplink: Setting<string> | null, external: Setting<string> | null): void {
    if (uplink === null || external === null || uplink.value !== external.value) return;
    const message = `${said(external)} is also the uplink of br-ex, on line ${this.#line(uplink)}: a device can be in one bridge only`;
    this.#problem(external, message, 'name two devices, or remove one of the two lines');
  }

  #line(setting: Setting<unknown>): number {
    return lineAt(this.#source, setting.place.key.at);
  }

  #problem(setting: Setting<unknown>, message: string, hint: string): void {
    this.problems.push({ kind: 'config-invalid', source: this.#source, offset: setting.place.value.at, message, hint });
  }
}

function name(setting: Setting<unknown>): string {
  return setting.place.keys.join('.');
}

function said(setting: Setting<unknown>): string {
  return `${name(setting)}: ${escapeText(String(setting.value))}`;
}
