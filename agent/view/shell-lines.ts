import { wrapped, wrappedWords } from './table.ts';

/** Parts of a shell line between spaces: quoted text keeps its spaces (POSIX.1-2024, Shell Command Language, 2.2). */
const shellWords = /(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"])+/g;

/**
 * Breaks a shell line into lines of at most `width` columns, which a shell reads as the same command. A broken command
 * continues after a backslash (POSIX.1-2024, Shell Command Language, 2.2.1), and a broken comment continues in another
 * comment. A word of more than `width` columns has a line of its own.
 */
export function shellLines(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line];
  const words = [...line.matchAll(shellWords)];
  const start = words.find(([word]) => word.startsWith('#'))?.index ?? line.length;
  const command = words.flatMap(({ 0: word, index }) => (index < start ? [word] : []));
  const comment = line.slice(start + 1).trim();
  const remarks = comment === '' ? [] : wrapped(comment, width - 2).map((text) => `# ${text}`);
  if (command.length === 0) return remarks;
  const whole = command.join(' ');
  const lines = whole.length <= width ? [whole] : wrappedWords(command, width - 4);
  const end = lines.length - 1;
  return [...lines.map((text, index) => `${index === 0 ? '' : '  '}${text}${index === end ? '' : ' \\'}`), ...remarks];
}
