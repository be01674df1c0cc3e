import type { Isolation, Reach, ReachMatrix } from '../model/namespace-isolation.ts';
import { joinLines, type Style } from './style.ts';
import { cellsOnly, tableLines } from './table.ts';

/** Text of a cell in the table of `overlay isolation show`, by the connections that are allowed between namespaces. */
const cells: Readonly<Record<Reach, string>> = { all: 'yes', some: 'some', none: 'no' };

/** Returns the settings of an isolation, as part of a sentence. */
function rulesOf({ globalNamespaces, groupLabel }: Isolation): string {
  const global = globalNamespaces.length === 0 ? 'no namespace is global' : `global: ${globalNamespaces.join(', ')}`;
  return `groups by the label ${groupLabel}; ${global}`;
}

/** Returns the result of `overlay isolation enable`. */
export function isolationEnabledText(isolation: Isolation, isChanged: boolean): string {
  const beginning = isChanged ? 'Namespaces are separated' : 'Nothing to do: namespaces are separated';
  return joinLines([
    `${beginning} (${rulesOf(isolation)}).`,
    'Namespaces that reach each other: microshift-net overlay isolation show',
  ]);
}

/** Returns the result of `overlay isolation disable`. */
export function isolationDisabledText(isChanged: boolean): string {
  return isChanged ? 'Namespaces are not separated any longer.' : 'Nothing to do: namespaces are not separated.';
}

/**
 * Returns the connections between namespaces as a table of at most `width` columns: a row for each source namespace, a
 * column for each destination namespace.
 */
export function reachText({ isolation, namespaces, reaches }: ReachMatrix, style: Style, width: number | null): string {
  const names = namespaces.map(({ name }) => name);
  const rows = namespaces.map(({ name, group }) => [
    name,
    ...(isolation === null ? [] : [group ?? 'global']),
    ...reaches.filter(({ from }) => from === name).map(({ reach }) => cells[reach]),
  ]);
  const headers = ['FROM', ...(isolation === null ? [] : ['GROUP']), ...names];
  return joinLines([
    isolation === null ? 'Namespaces are not separated.' : `Namespaces are separated (${rulesOf(isolation)}).`,
    'Connections that the policies of all tiers allow, from a row to a column:',
    ...tableLines(headers, rows.map(cellsOnly), width, style),
  ]);
}
