import { familyOf } from '../net/address.ts';
import { parseRange } from '../net/address-range.ts';
import { escapeText } from '../printable.ts';

import { entryOf, resolve } from './cluster-lookup.ts';
import { scalarValue } from './scalar.ts';
import type { YamlNode } from './yaml-tree.ts';

interface WrongValue {
  readonly at: number;
  readonly wanted: string;
  readonly shown: string;
  readonly example: string;
}

/** Makes a value of a node; a null value counts as unset. */
export type ValueReader<T> = (node: YamlNode) => { readonly value: T | null } | WrongValue;

/** Address ranges: a list of them, a list of {cidr: …} (MicroShift until 2023), or a single one. */
export const readCidrs: ValueReader<readonly string[]> = (node) => {
  const items = node.kind === 'sequence' ? node.items : [node];
  const cidrs: string[] = [];
  for (const item of items) {
    const cidr = cidrNode(item);
    if (cidr?.kind === 'scalar' && cidr.text === '') continue;
    if (cidr?.kind !== 'scalar' || parseRange(cidr.text) === null) {
      return wrong(cidr ?? item, 'address ranges', '[10.42.0.0/16]');
    }
    cidrs.push(cidr.text);
  }
  return { value: cidrs.length === 0 ? null : cidrs };
};

function cidrNode(item: YamlNode): YamlNode | null {
  const node = resolve(item);
  return node?.kind === 'mapping' ? (entryOf(node, 'cidr')?.value ?? null) : node;
}

/** An IP address. */
export const readAddress: ValueReader<string> = (node) => {
  if (node.kind === 'scalar' && node.text === '') return { value: null };
  if (node.kind === 'scalar' && familyOf(node.text) !== null) return { value: node.text };
  return wrong(node, 'an IP address', '192.0.2.10');
};

const maxPort = 65_535;

/** A port range as Kubernetes takes it: 30000-32767, 30000+2767 (first port and how many more) or 30000 alone. */
export const readPortRange: ValueReader<string> = (node) => {
  if (node.kind !== 'scalar') return wrong(node, 'a port range', '30000-32767');
  if (node.text === '') return { value: null };
  const match = /^([0-9]{1,5})(?:([-+])([0-9]{1,5}))?$/.exec(node.text);
  const first = Number(match?.[1]);
  const last = match?.[2] === '+' ? first + Number(match[3]) : Number(match?.[3] ?? first);
  // A bare number is an integer to MicroShift, which then refuses the whole file.
  const isText = typeof scalarValue(node) === 'string';
  if (match === null || !isText || first < 1 || last < first || last > maxPort) {
    return wrong(node, 'a port range', '"30000-32767"');
  }
  return { value: `${first}-${last}` };
};

function wrong(node: YamlNode, wanted: string, example: string): WrongValue {
  const names = { mapping: 'a group of settings', sequence: 'a list', alias: 'an unknown alias' } as const;
  const shown = node.kind === 'scalar' ? (node.text === '' ? 'empty' : escapeText(node.raw, 40)) : names[node.kind];
  return { at: node.at, wanted, shown, example };
}
