import type { AgentError } from '../errors.ts';
import type { ConfigWarning, Sourced } from '../model/config.ts';
import { joinLines } from './style.ts';

/**
 * Returns a line per setting: its name in ovn.yaml or in MicroShift's config.yaml, its effective value and its source,
 * in columns. With `hasHeader`, as on a terminal, a line with the names of the columns comes first.
 */
export function configShowText(
  settings: readonly (readonly [name: string, setting: Sourced<unknown>])[],
  warnings: readonly ConfigWarning[],
  hasHeader: boolean,
): string {
  const header = hasHeader ? [['KEY', 'VALUE', 'SOURCE'] as const] : [];
  const values = settings.map(([name, { value, source }]) => [name, valueText(value), source] as const);
  const rows = [...header, ...values];
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  const valueWidth = Math.max(...rows.map(([, value]) => value.length));
  const lines = rows.map(
    ([name, value, source]) => `${name.padEnd(nameWidth)}  ${value.padEnd(valueWidth)}  ${source}`,
  );
  return text([...lines, ...warningLines(warnings)]);
}

/** Returns a line that says whether a configuration file is valid or absent, and the warnings about it. */
export function configCheckText(file: string, isPresent: boolean, warnings: readonly ConfigWarning[]): string {
  return text([`${file}: ${isPresent ? 'valid' : 'absent, the defaults apply'}`, ...warningLines(warnings)]);
}

/**
 * Returns the text of every problem of an invalid configuration, with its source line and a caret below the position.
 */
export function configProblemsText(error: AgentError): string {
  const { snippet, problemCount, moreProblems = [], moreSnippets = [] } = error.facts;
  const others = Array.isArray(moreProblems) ? moreProblems : [];
  const snippets = [snippet, ...(Array.isArray(moreSnippets) ? moreSnippets : [])];
  const messages = [error.hint === undefined ? error.message : `${error.message}; ${error.hint}`, ...others];
  const lines = messages.flatMap((message, index) => {
    const shown = snippets[index];
    return [message, ...(typeof shown === 'string' ? shown.split('\n').map((line) => `  ${line}`) : [])];
  });
  const left = typeof problemCount === 'number' ? problemCount - messages.length : 0;
  return text(left > 0 ? [...lines, `and ${left} more problems`] : lines);
}

function valueText(value: unknown): string {
  if (value === null) return '-';
  return Array.isArray(value) ? value.join(', ') || '-' : String(value);
}

/** Returns a line for each warning about a configuration. */
export function warningLines(warnings: readonly ConfigWarning[]): string[] {
  return warnings.map(({ source, message }) => `warning: ${source}: ${message}`);
}

function text(lines: readonly string[]): string {
  return joinLines(lines.map((line) => line.trimEnd()));
}
